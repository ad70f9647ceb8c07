"""Goals drawn as things one can see in a picture, since empties are not rendered."""

from math import cos, pi, sin

from mathutils import Matrix, Vector
from mathutils.geometry import convex_hull_2d
from shapes import ball, dashes, material, patch, text, tube

COLOURS = {
    "hand": (0.0, 0.30, 0.65),
    "foot": (0.30, 0.08, 0.75),
    "aim": (0.75, 0.0, 0.30),
    "balance": (0.0, 0.36, 0.08),
}
LINE = 0.004  # radius of the lines, metres
SOLE = 0.145, 0.062  # half length and half width of the outline of a foot, metres
UP = Vector((0, 0, 1))
ABOVE = 0.003 * UP  # flat signs lie this far above the ground, to be seen


def mark_goals(targets, shift, effectors):
    """Draw the goals, moved by `shift`.

    `effectors` gives, by the name of the goal, the point that the goal is to move, eyes and centre of
    mass included.
    """
    for target in targets:
        place, effector = target.place + shift, effectors[target.name] + shift
        if target.kind == "aim":
            _mark_gaze(place, effector)
        elif target.kind == "balance":
            _mark_balance(place, effector)
        elif target.height:
            tube("Foot goal", _sole(target, place), 1.5 * LINE, _ink(target), closed=True)
        else:
            _mark_hand(place)
    _mark_support([_sole(target, target.place + shift) for target in targets if target.height])


def explain_goals(targets, shift, effectors, facing):
    """Name the goals, and show by dashes what each pulls; `facing` (3×3) turns words to the camera."""
    for target in targets:
        place, effector = target.place + shift, effectors[target.name] + shift
        if target.kind == "pose":
            dashes("Pull", effector, place, 0.6 * LINE, _ink(target))
        offset, align = _label_offset(target)
        if target.kind == "aim":
            place = place.lerp(effector, 0.5)
        spot = Matrix.Translation(place + facing @ Vector(offset)) @ facing.to_4x4()
        text("Label", target.name.lower(), 0.058, _ink(target), spot, align)


def _label_offset(target):
    """Where a label goes, seen from the camera (right, up, nearer; metres), and its alignment."""
    if target.kind == "aim":
        return (0.03, 0.05, 0.1), "LEFT"
    if target.kind == "balance":
        return (0.08, -0.04, 0.35), "CENTER"
    side = 1 if target.place.x > 0 else -1
    away = 0.17 if target.height else 0.12
    return (side * away, 0.0, 0.1), "LEFT" if side > 0 else "RIGHT"


def _mark_hand(place, radius=0.085):
    """Three rings, as Blender draws an empty as a sphere."""
    x, y, z = Vector((radius, 0, 0)), Vector((0, radius, 0)), Vector((0, 0, radius))
    for a, b in ((x, y), (y, z), (z, x)):
        tube("Hand goal", _ellipse(place, a, b), LINE, _colour("hand"), closed=True)


def _mark_gaze(place, eyes):
    towards = (place - eyes).normalized()
    dashes("Gaze", eyes + 0.05 * towards, place - 0.06 * towards, 0.6 * LINE, _colour("aim"))


def _mark_balance(place, centre):
    """The centre of mass, its plumb line, and the spot on the floor it should hang above."""
    ink = _colour("balance")
    x, y = Vector((0.05, 0, 0)), Vector((0, 0.05, 0))
    tube("Balance goal", _ellipse(place + 2 * ABOVE, x, y), LINE, ink, closed=True)
    ball("Centre of mass", centre, 0.025, ink)
    tube("Plumb line", [centre, Vector((centre.x, centre.y, 0))], 0.6 * LINE, ink)
    ball("Plumb", Vector((centre.x, centre.y, 0.012)), 0.014, ink)


def _mark_support(soles):
    """The area the centre of mass may be above: the hull of the soles, seen from above."""
    points = [point for sole in soles for point in sole]
    hull = [points[i] for i in convex_hull_2d([point.xy for point in points])]
    ink = material("Support", COLOURS["balance"], glow=0.3, alpha=0.22)
    patch("Support", [Vector((p.x, p.y, 0)) + ABOVE for p in hull], ink)


def _sole(target, ankle):
    """The outline of a foot on the ground below the goal of its ankle."""
    ahead = (target.frame.col[1] - target.frame.col[1].project(UP)).normalized()
    ground = Vector((ankle.x, ankle.y, ankle.z - target.height))
    middle = ground + 0.07 * ahead + 2 * ABOVE
    return _ellipse(middle, SOLE[0] * ahead, SOLE[1] * ahead.cross(UP))


def _ellipse(centre, a, b, count=48):
    turns = (2 * pi * i / count for i in range(count))
    return [centre + cos(turn) * a + sin(turn) * b for turn in turns]


def _ink(target):
    if target.kind == "pose":
        return _colour("foot" if target.height else "hand")
    return _colour(target.kind)


def _colour(name):
    return material(f"Goal {name}", COLOURS[name], glow=0.9)
