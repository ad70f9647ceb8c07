import pytest


@pytest.fixture
def biped(empty_file):
    # Imported late: the extension is installed before Blender starts, see the conftest above.
    from biped import add_biped

    return add_biped()
