"""Goals: what an animator asks of a figure, each in a file named after it."""

from .aim import AimGoal
from .any_of import AnyOf
from .base import CENTRE_OF_MASS, Effector, Goal, Reach
from .half_space import HalfSpaceGoal
from .line import LineGoal
from .orientation import OrientationGoal
from .plane import PlaneGoal
from .pose import PoseGoal
from .position import PositionGoal

__all__ = [
    "CENTRE_OF_MASS",
    "AimGoal",
    "AnyOf",
    "Effector",
    "Goal",
    "HalfSpaceGoal",
    "LineGoal",
    "OrientationGoal",
    "PlaneGoal",
    "PoseGoal",
    "PositionGoal",
    "Reach",
]
