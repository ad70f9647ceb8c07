"""The mathematics of Contrapposto: figures, goals, problems and backends. numpy only.

figure = build_figure(names, parents, offsets)
problem = Problem(figure, [PositionGoal(effector=Effector(3), target=target)], start)
result = solve(problem)
"""

from .backends import BACKENDS, Budget, Run, begin, solve
from .constraints import (
    Constraint,
    on_floor,
    register_constraint,
    registered_constraints,
    smoothness,
    unregister_constraint,
)
from .figure import Figure, build_figure
from .goals import (
    CENTRE_OF_MASS,
    AimGoal,
    AnyOf,
    Effector,
    Goal,
    HalfSpaceGoal,
    LineGoal,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
    Reach,
)
from .limits import Coupling, JointGroup, Polygon
from .particles import Cloud, ParticleFilter, smoothed
from .postures import Postures
from .problem import Problem, Reference
from .result import GoalResult, Reason, Result, Status
from .rotations import EULER_ORDERS, SWING_TWIST
from .skeleton import Skeleton
from .variations import variations

__all__ = [
    "BACKENDS",
    "CENTRE_OF_MASS",
    "EULER_ORDERS",
    "SWING_TWIST",
    "AimGoal",
    "AnyOf",
    "Budget",
    "Cloud",
    "Constraint",
    "Coupling",
    "Effector",
    "Figure",
    "Goal",
    "GoalResult",
    "HalfSpaceGoal",
    "JointGroup",
    "LineGoal",
    "OrientationGoal",
    "ParticleFilter",
    "PlaneGoal",
    "Polygon",
    "PoseGoal",
    "PositionGoal",
    "Postures",
    "Problem",
    "Reach",
    "Reason",
    "Reference",
    "Result",
    "Run",
    "Skeleton",
    "Status",
    "begin",
    "build_figure",
    "on_floor",
    "register_constraint",
    "registered_constraints",
    "smoothed",
    "smoothness",
    "solve",
    "unregister_constraint",
    "variations",
]
