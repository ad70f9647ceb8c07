"""Sequential Monte Carlo: particles, how they move and how they are weighed."""

from .filter import Cloud, ParticleFilter

__all__ = ["Cloud", "ParticleFilter"]
