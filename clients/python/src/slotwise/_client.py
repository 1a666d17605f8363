import json
import math
from dataclasses import replace
from typing import Any, Callable, Iterator, List, Mapping, Optional
from urllib.parse import quote

from ._api import Event, EventList, EventType, Operations
from ._send import Sender


class Slotwise(Operations):
    """
    A method for each operation of the reference, and iterators over lists and events. Threads may share one.

    :param base_url: where the API is, without `/v1`
    :param api_key: `slw_…`
    :param retries: how often a request is sent again
    :param max_retry_after: longest `Retry-After` that is waited for, in seconds; beyond it the error is raised at once
    """

    def __init__(self, base_url: str, api_key: str, *, retries: float = 4, max_retry_after: float = 60) -> None:
        self._sender = Sender(base_url, api_key, retries, max_retry_after)

    def with_retries(self, retries: float) -> "Slotwise":
        """The same client, for calls that are repeated as often as this."""
        sender = replace(self._sender, retries=retries)
        return Slotwise(sender.base_url, sender.api_key, retries=retries, max_retry_after=sender.max_retry_after)

    def events(
        self,
        *,
        after: int = 0,
        types: Optional[List[EventType]] = None,
        booking_id: Optional[int] = None,
        follow: bool = True,
    ) -> Iterator[Event]:
        """
        The account's events in order, without a gap and without an end. A server that is away is waited for.

        :param after: `sequence` of the last event that was handled; 0: from the oldest that is kept
        :param follow: wait for what comes, or end with what is there
        """
        for page in self.event_pages(after=after, types=types, booking_id=booking_id, follow=follow):
            yield from page["events"]

    def event_pages(
        self,
        *,
        after: int = 0,
        types: Optional[List[EventType]] = None,
        booking_id: Optional[int] = None,
        follow: bool = True,
    ) -> Iterator[EventList]:
        """The same by pages, each with the `next_after` to keep: it moves on also where no event was of `types`."""
        patient = self.with_retries(math.inf) if follow else self
        wait = 30 if follow else None
        while True:
            page = patient.list_events(after=after, limit=1000, types=types, booking_id=booking_id, wait=wait)
            after = page["next_after"]
            yield page
            if not follow and not page["has_more"]:
                return

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, Optional[str]] = {},
        body: Any = None,
    ) -> Any:
        asked = "&".join(f"{name}={quote(text(value), safe='')}" for name, value in query.items() if value is not None)
        given = {name: value for name, value in headers.items() if value is not None}
        sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        return self._sender.send(method, f"{path}?{asked}" if asked else path, given, sent)

    def _rows(self, name: str, read: Callable[[int], Any]) -> Iterator[Any]:
        number = 1
        while True:
            page = read(number)
            yield from page[name]
            if number >= page["pagination"]["total_pages"]:
                return
            number += 1


def text(value: Any) -> str:
    """As a query has it: `true`, and lists as `a,b`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
