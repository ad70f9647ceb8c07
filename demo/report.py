"""How far the figure is from its goals and joint limits, measured on Blender's own bones."""

from math import degrees, pi

MM, DEGREES = "mm", "°"


def errors(target, effector, goal):
    """The errors of one goal, by their unit. `effector` and `goal` are world matrices (4×4)."""
    gap = goal.translation - effector.translation
    if target.kind == "aim":
        return {DEGREES: degrees(effector.col[2].xyz.angle(gap))}
    if target.kind == "balance":
        return {MM: 1000 * gap.xy.length}
    turn = effector.to_quaternion().rotation_difference(goal.to_quaternion()).angle
    return {MM: 1000 * gap.length, DEGREES: degrees(min(turn, 2 * pi - turn))}


def beyond_limits(armature):
    """By how much the joint farthest out of its range is out of it, degrees."""
    excess = 0.0
    for bone in armature.pose.bones:
        swing, twist = bone.matrix_basis.to_quaternion().to_swing_twist("Y")
        angles = swing.to_exponential_map()
        angles.y = twist
        for axis, angle in zip("xyz", angles, strict=True):
            if getattr(bone, f"use_ik_limit_{axis}"):
                low, high = getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")
                excess = max(excess, low - angle, angle - high)
    return degrees(excess)


def table(rows):
    """Rows of (goal, unit, error before, error after, "MET" or why not) as text."""
    heading = f"  {'goal':<12}{'error before':>14}{'error after':>13}  {'unit':<5} met?"
    lines = [
        f"  {goal:<12}{before:>14.1f}{after:>13.3f}  {unit:<5} {'yes' if state == 'MET' else f'NO: {state}'}"
        for goal, unit, before, after, state in rows
    ]
    return "\n".join(["", heading, "  " + "─" * (len(heading) - 2), *lines])
