"""Sequential Monte Carlo: particles, how they move and how they are weighed."""

from .filter import Cloud, ParticleFilter, scattered
from .trajectory import smoothed

__all__ = ["Cloud", "ParticleFilter", "scattered", "smoothed"]
