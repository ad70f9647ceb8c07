"""What cannot be posed is refused in words."""


class BridgeError(Exception):
    """One sentence that names the object, bone or goal at fault and what would be right."""
