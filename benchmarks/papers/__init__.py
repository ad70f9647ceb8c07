"""`papers`: the experiments of the papers we implement, with pictures in docs/images.

Zhao & Badler 1994, figures 3 to 8, and Li et al. 2011, figure 1. Its figure is the free spine's time over the
grouped one's in the former: the paper's was 3.
"""

from __future__ import annotations

from . import li, zhao_badler


def main() -> float:
    figure = zhao_badler.main()
    li.main()
    return figure
