"""What a figure stands on: the convex hull of its lowest contacts, seen from above."""

from collections.abc import Iterable

from mathutils import Vector


def support_polygon(
    contacts: Iterable[Vector], centre: Vector, thickness: float
) -> tuple[list[Vector], bool]:
    """Corners on the floor, counter-clockwise from above, and whether ``centre`` is over them.

    The floor is the height of the lowest contact; contacts higher than ``thickness`` above it do not
    carry. Less than two contacts support nothing.
    """
    contacts = list(contacts)
    if len(contacts) < 2:
        return [], False
    floor = min(contact.z for contact in contacts)
    standing = sorted({(c.x, c.y) for c in contacts if c.z <= floor + thickness})
    hull = _half_hull(standing) + _half_hull(standing[::-1])
    corners = [Vector((x, y, floor)) for x, y in hull]
    return corners, len(hull) > 2 and all(
        _turn(hull[i - 1], hull[i], (centre.x, centre.y)) >= 0.0 for i in range(len(hull))
    )


def _half_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """One side of the hull of points in order, without its last (Andrew's monotone chain)."""
    hull: list[tuple[float, float]] = []
    for point in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0.0:
            hull.pop()
        hull.append(point)
    return hull[:-1]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
