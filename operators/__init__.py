def register() -> None:
    pass


def unregister() -> None:
    pass
