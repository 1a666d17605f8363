from uuid import uuid4


def new_key() -> str:
    """An Idempotency-Key: one for all the tries of a call. With a key of your own, your process may end in between."""
    return str(uuid4())
