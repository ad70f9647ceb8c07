"""Enables and disables the extension twice in a fresh Blender; raises if anything stays behind.

Run by test_registration.py, in a Blender of its own: only there it was never enabled before.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

import installed  # noqa: E402


def main() -> None:
    installed.install(enable=False)

    import bpy
    from registered import difference, snapshot

    never = snapshot()
    enabled = []
    for _ in range(2):
        bpy.ops.preferences.addon_enable(module=installed.MODULE)
        assert installed.MODULE in bpy.context.preferences.addons, "was not enabled"
        enabled.append(snapshot())
        bpy.ops.preferences.addon_disable(module=installed.MODULE)
        if left := difference(never, snapshot()):
            raise AssertionError("left behind:\n" + "\n".join(left))
    if changed := difference(*enabled):
        raise AssertionError("the second time is not like the first:\n" + "\n".join(changed))
    print(*difference(never, enabled[0]), sep="\n")


main()
