"""Settings of a goal, saved on its empty. Where the goal is, is where the empty is.

A line runs along the empty's Z axis; a plane or half-space is across it, the half-space on the side
that Z points to; a box is the cube that the empty shows.
"""

from math import radians

import bpy

from .access import tag

TYPE_ITEMS = (
    ("POSITION", "Position", "Bring the effector to the goal", "EMPTY_AXIS", 0),
    ("ORIENTATION", "Orientation", "Turn the bone as the goal is turned", "ORIENTATION_GIMBAL", 1),
    ("POSE", "Pose", "Bring the effector to the goal and turn the bone as the goal", "EMPTY_ARROWS", 2),
    ("AIM", "Aim", "Turn the bone until one of its axes points at the goal", "HIDE_OFF", 3),
    ("LINE", "Line", "Bring the effector onto the line along the goal's Z axis", "EMPTY_SINGLE_ARROW", 4),
    ("PLANE", "Plane", "Bring the effector onto the goal's XY plane", "MESH_PLANE", 5),
    (
        "HALF_SPACE",
        "Half-Space",
        "Keep the effector on the side of the goal's XY plane that its Z axis points to",
        "ORIENTATION_NORMAL",
        6,
    ),
    ("OUTSIDE_BOX", "Outside Box", "Keep the effector out of the goal's cube", "CUBE", 7),
)
EFFECTOR_ITEMS = (
    ("HEAD", "Head", "The joint at which the bone begins", 0),
    ("TAIL", "Tail", "The end of the bone", 1),
    ("POINT", "Point", "A point fixed to the bone", 2),
    ("CENTRE_OF_MASS", "Centre of Mass", "The balance of the whole figure", 3),
)
AIM_AXIS_ITEMS = (
    ("POS_X", "X", "The bone's X axis", 0),
    ("NEG_X", "-X", "Against the bone's X axis", 1),
    ("POS_Y", "Y", "Along the bone, from head to tail", 2),
    ("NEG_Y", "-Y", "Against the bone, from tail to head", 3),
    ("POS_Z", "Z", "The bone's Z axis", 4),
    ("NEG_Z", "-Z", "Against the bone's Z axis", 5),
)
REACH_ITEMS = (
    ("ALL", "Whole Figure", "Every bone up to the root may follow", 0),
    ("COUNT", "Chain Length", "This many bones may follow, as in Blender's own IK", 1),
    ("BONE", "Up to Bone", "Bones up to and including a certain one may follow", 2),
)

# What an empty looks like as a goal: an arrow and an image frame have their Z axis as we do.
_DISPLAY = {
    "POSITION": "SPHERE",
    "ORIENTATION": "ARROWS",
    "POSE": "ARROWS",
    "AIM": "PLAIN_AXES",
    "LINE": "SINGLE_ARROW",
    "PLANE": "IMAGE",
    "HALF_SPACE": "SINGLE_ARROW",
    "OUTSIDE_BOX": "CUBE",
}
_OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}


def _show_type(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    tag(self, context)
    goal = self.id_data
    if goal.type == "EMPTY":
        goal.empty_display_type = "CUBE" if self.is_pin else _DISPLAY[self.type]


class GoalSettings(bpy.types.PropertyGroup):
    """What a goal asks of a figure"""

    is_goal: bpy.props.BoolProperty(
        name="Goal",
        description="This object is a goal for an armature",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    is_pin: bpy.props.BoolProperty(
        name="Pin",
        description="This goal holds a bone where it was pinned",
        options=set(),
        override=_OVERRIDABLE,
        update=_show_type,
    )
    enabled: bpy.props.BoolProperty(
        name="Enabled",
        description="Take this goal into account",
        default=True,
        override=_OVERRIDABLE,
        update=tag,
    )
    armature: bpy.props.PointerProperty(
        name="Armature",
        description="The figure that this goal poses",
        type=bpy.types.Object,
        poll=lambda _self, candidate: candidate.type == "ARMATURE",
        override=_OVERRIDABLE,
        update=tag,
    )
    bone: bpy.props.StringProperty(
        name="Bone",
        description="The bone that the effector is fixed to",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    effector: bpy.props.EnumProperty(
        name="Effector",
        description="What is brought to the goal",
        items=EFFECTOR_ITEMS,
        default="HEAD",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    point: bpy.props.FloatVectorProperty(
        name="Point",
        description="The effector, from the bone's head and along the bone's axes",
        subtype="TRANSLATION",
        override=_OVERRIDABLE,
        update=tag,
    )
    type: bpy.props.EnumProperty(
        name="Type",
        description="What the goal asks of the effector",
        items=TYPE_ITEMS,
        default="POSITION",
        options=set(),
        override=_OVERRIDABLE,
        update=_show_type,
    )
    use_x: bpy.props.BoolProperty(
        name="X",
        description="Turn the bone's X axis as the goal's; off leaves the bone free to twist",
        default=True,
        override=_OVERRIDABLE,
        update=tag,
    )
    use_y: bpy.props.BoolProperty(
        name="Y",
        description="Turn the bone's Y axis as the goal's; off leaves the bone free to point elsewhere",
        default=True,
        override=_OVERRIDABLE,
        update=tag,
    )
    aim_axis: bpy.props.EnumProperty(
        name="Axis",
        description="The axis of the bone that points at the goal",
        items=AIM_AXIS_ITEMS,
        default="POS_Y",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    weight: bpy.props.FloatProperty(
        name="Weight",
        description="How much this goal counts where not all can be met; 0 turns it off",
        min=0.0,
        soft_max=10.0,
        default=1.0,
        override=_OVERRIDABLE,
        update=tag,
    )
    priority: bpy.props.IntProperty(
        name="Priority",
        description="Goals of a lower number come first, with the solver that has priorities",
        min=1,
        soft_max=10,
        default=1,
        override=_OVERRIDABLE,
        update=tag,
    )
    tolerance: bpy.props.FloatProperty(
        name="Tolerance",
        description="How far off the effector may be for the goal to count as met",
        subtype="DISTANCE",
        precision=4,
        step=0.01,
        min=0.0,
        soft_max=0.1,
        default=0.0005,
        override=_OVERRIDABLE,
        update=tag,
    )
    angle_tolerance: bpy.props.FloatProperty(
        name="Angle Tolerance",
        description="How far the bone may be turned away for the goal to count as met",
        subtype="ANGLE",
        min=0.0,
        max=radians(180.0),
        default=radians(0.1),
        override=_OVERRIDABLE,
        update=tag,
    )
    reach: bpy.props.EnumProperty(
        name="Reach",
        description="Which bones may follow this goal",
        items=REACH_ITEMS,
        default="ALL",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    reach_count: bpy.props.IntProperty(
        name="Chain Length",
        description="How many bones may follow, the effector's own included",
        min=1,
        soft_max=10,
        default=2,
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    reach_bone: bpy.props.StringProperty(
        name="Up to Bone",
        description="The last bone that may follow, above the effector's own",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    any_of: bpy.props.StringProperty(
        name="Any Of",
        description="Of all goals with the same name here, one is enough",
        options=set(),
        override=_OVERRIDABLE,
        update=tag,
    )
    error_distance: bpy.props.FloatProperty(
        name="Distance",
        description="How far off the effector was after the last solve",
        subtype="DISTANCE",
        options=set(),
        override=_OVERRIDABLE,
    )
    error_angle: bpy.props.FloatProperty(
        name="Angle",
        description="How far the bone was turned away after the last solve",
        subtype="ANGLE",
        options=set(),
        override=_OVERRIDABLE,
    )
    state: bpy.props.StringProperty(
        name="State",
        description="MET after the last solve, or why it was not; empty before any",
        options=set(),
        override=_OVERRIDABLE,
    )

    def note(self, distance: float, angle: float, state: str) -> None:
        """How the goal came out of a solve, for the user to see."""
        self.error_distance, self.error_angle, self.state = distance, angle, state

    def forget_errors(self) -> None:
        self.note(0.0, 0.0, "")
