"""`papers`: the experiments of the papers we implement, with pictures in docs/images.

Zhao & Badler 1994, figures 3 to 8. Its figure is the free spine's time over the grouped one's: the
paper's was 3.
"""

from __future__ import annotations

from . import zhao_badler

main = zhao_badler.main
