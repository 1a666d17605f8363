"""Sends requests, again where that cannot do anything twice."""

import json
import random
import re
import time
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from http.client import HTTPException
from typing import Any, Dict, Mapping, Optional
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._errors import NoAnswerError, SlotwiseError

# s before the first retry; doubled for each further one, up to the second number, less up to a half by chance
FIRST, LONGEST = 0.25, 8.0
# s without a byte: the API answers within 10 s, a long poll within 30 s more
PATIENCE = 45.0


@dataclass(frozen=True)
class Sender:
    """
    A limit (429) or a request under the same key (409) was refused before anything happened, so it is sent again. After
    no answer, or 502 to 504, only reads are repeated, and what has an Idempotency-Key.
    """

    base_url: str
    api_key: str = field(repr=False)
    retries: float
    max_retry_after: float

    def send(self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes]) -> Any:
        """
        :returns: the `data` of the answer
        :raises SlotwiseError, NoAnswerError:
        """
        can_repeat = method == "GET" or "Idempotency-Key" in headers
        tries = 0
        while True:
            try:
                return self._send_once(method, path, headers, body)
            except (SlotwiseError, NoAnswerError) as error:
                wait = pause_after(error, can_repeat, tries)
                if wait is None or tries >= self.retries or wait > self.max_retry_after:
                    raise
            time.sleep(wait)
            tries += 1

    def _send_once(self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes]) -> Any:
        sent = {**headers, "Authorization": f"Bearer {self.api_key}", "Accept": "application/json"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        request = Request(self.base_url.rstrip("/") + path, data=body, headers=sent, method=method)
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                status, given, text = answer.status, answer.headers, answer.read()
        except HTTPError as refusal:
            with refusal:
                status, given, text = refusal.code, refusal.headers, read_what_comes(refusal)
        except (OSError, HTTPException) as cause:
            raise NoAnswerError(f"no answer to {method} {path.split('?')[0]}") from cause
        content = parsed(text)
        if status < 300:
            # Whoever it is from, and whatever became of the rest: it does not say what was made.
            if "data" not in content:
                raise NoAnswerError(f"no whole answer to {method} {path.split('?')[0]}")
            return content["data"]
        raise SlotwiseError(status, content, seconds(given.get("Retry-After")), given.get("X-Request-Id"))


class NoRedirects(HTTPRedirectHandler):
    """The API sends nobody elsewhere, and the key is for nobody else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


opener = build_opener(NoRedirects)


def pause_after(error: Exception, can_repeat: bool, tries: int) -> Optional[float]:
    """:returns: seconds; None: it is not sent again"""
    backoff = min(FIRST * 2.0 ** min(tries, 10), LONGEST) * (1 - random.random() / 2)
    if not isinstance(error, SlotwiseError):
        return backoff if can_repeat else None
    was_refused = error.status == 429 or error.code == "request_in_progress"
    is_away = 502 <= error.status <= 504 and can_repeat
    return max(error.retry_after or 0.0, backoff) if was_refused or is_away else None


def read_what_comes(refusal: HTTPError) -> bytes:
    """The status says enough where the rest is lost."""
    try:
        return refusal.read()
    except (OSError, HTTPException):
        return b""


def parsed(text: bytes) -> Dict[str, Any]:
    """What is between us and the API may answer something else than JSON."""
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def seconds(retry_after: Optional[str]) -> Optional[float]:
    """Of a `Retry-After`, which may also be a date (RFC 9110 10.2.3)"""
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        return float(retry_after)
    date = parsedate_tz(retry_after)
    return None if date is None else max(0.0, mktime_tz(date) - time.time())
