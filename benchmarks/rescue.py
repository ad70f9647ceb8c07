"""`rescue`: how often goals are reached when particles explore where the default backend misses them.

The problems are those of `reach`; only what is missed there is solved again with rescue.
"""

from __future__ import annotations

import time

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Budget, Problem, solve

from .reach import COUNTS, PROBLEMS, problem_goals
from .scenes import KINDS, Person, person, reached


def row(someone: Person, count: int, kind: str) -> tuple[int, int]:
    """Print how a row of `reach` fares; how many were reached without and with rescue."""
    without = rescued = 0
    seconds = []
    for goals in problem_goals(someone, count, kind, PROBLEMS):
        problem = Problem(someone.figure, goals, someone.rest)
        if reached(someone, goals, solve(problem).q):
            without += 1
            continue
        begin = time.thread_time()
        result = solve(problem, budget=Budget(rescue=True))
        seconds.append(time.thread_time() - begin)
        rescued += reached(someone, goals, result.q)
    late = f"{1e3 * np.median(seconds):9.0f} ms" if seconds else ""
    shares = [100.0 * n / PROBLEMS for n in (without, without + rescued)]
    print(f"{count}  {kind:12}{shares[0]:8.2f} %{shares[1]:8.2f} %{late}", flush=True)
    return without, without + rescued


def main() -> float:
    someone = person("basic_human")
    print(
        f"\n{PROBLEMS} problems a row, from the rest pose; reached without and with rescue, median of rescues"
    )
    rows = [row(someone, count, kind) for count in COUNTS for kind in KINDS]
    return 100.0 * min(share for _, share in rows) / PROBLEMS
