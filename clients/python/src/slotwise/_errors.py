from typing import Any, List, Mapping, Optional

from ._api import Alternative, Fault


class SlotwiseError(Exception):
    """The API refused: what it was asked for did not happen, unless `status` is 500 or more. Decide by `code`."""

    #: Such as "time_slot_full": one of `ErrorCode`, or one that is younger than this client
    code: str
    #: Field by field, where fields are what is wrong
    faults: List[Fault]
    #: What can be booked instead, where `alternatives` asked for it
    alternatives: List[Alternative]

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        error = body.get("error")
        text = error.get("message") if isinstance(error, dict) else error
        super().__init__(text if isinstance(text, str) else f"the server answered {status}")
        self.status = status
        self.code = str(body.get("code", "unknown"))
        self.faults = body.get("faults", [])
        self.alternatives = body.get("alternatives", [])
        #: Seconds after which the same request may succeed
        self.retry_after = retry_after
        #: What the server's log calls the request
        self.request_id = request_id


class NoAnswerError(ConnectionError):
    """No answer came, or not all of one: nobody knows whether a change was made. `__cause__` says why."""
