"""How heavy the parts of a person are, for its balance.

Shares of the body in percent after P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia
parameters", Journal of Biomechanics 29 (1996); the trunk is shared among its bones.
"""

from limits import part_of

TRUNK, PELVIS = 32.3, 11.2
MASSES = {
    "neck": 1.0,
    "head": 5.9,
    "shoulder": 2.7,
    "elbow": 1.6,
    "wrist": 0.6,
    "hip": 14.2,
    "knee": 4.3,
    "ankle": 1.4,
}


def weigh(armature):
    """Set the masses of the bones; Contrapposto must be enabled. What is in no list hardly counts."""
    parts = {bone.name: part_of(bone.name) for bone in armature.data.bones}
    for name, part in parts.items():
        mass = MASSES.get(part, 0.001)
        if part == "spine":
            mass = TRUNK / list(parts.values()).count("spine")
        elif armature.data.bones[name].parent is None:
            mass = PELVIS
        armature.data.bones[name].contrapposto.mass = mass
