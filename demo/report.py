"""How far the figure is from its goals, measured on Blender's own bones, and the table of it."""

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


def table(rows):
    """Rows of (goal, unit, error before, error after, met?) as text."""
    heading = f"  {'goal':<12}{'error before':>14}{'error after':>13}  {'unit':<5} met?"
    lines = [
        f"  {goal:<12}{before:>14.1f}{after:>13.3f}  {unit:<5} {'yes' if met else 'NO'}"
        for goal, unit, before, after, met in rows
    ]
    return "\n".join(["", heading, "  " + "─" * (len(heading) - 2), *lines])
