import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, Literal, Optional, Protocol, Sequence, Tuple, TypedDict, Union, cast

from ._api import BookingEvent, CustomerErased


class WebhookTest(TypedDict):
    """What `test_webhook` sends."""

    id: str
    type: Literal["webhook.test"]
    timestamp: str
    data: Dict[str, Any]


# What is posted to a webhook: an event of the feed, or a test.
WebhookEvent = Union[BookingEvent, CustomerErased, WebhookTest]


class Headers(Protocol):
    """Headers of a request, as `http.server`, Django, Flask and Starlette have them, or a dict."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


class WebhookVerificationError(Exception):
    """The request is not from Slotwise, or it is old. Answer 401, and do nothing else."""


def verify_webhook(
    body: Union[bytes, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookEvent:
    """
    The event of a request, by Standard Webhooks 1.0.

    :param body: as it came, byte by byte: JSON that was parsed and written again is another text
    :param secret: `whsec_…`, or several of which one is right
    :param tolerance: seconds that the timestamp may be away from this clock
    :param now: in seconds; default: this clock
    :raises WebhookVerificationError:
    """
    given = {name.lower(): value for name, value in headers.items()}
    sent_id, timestamp, signatures = (header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    clock = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(clock - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"webhook-timestamp is more than {tolerance:g} s from now")
    content = body.encode(errors="surrogatepass") if isinstance(body, str) else bytes(body)
    signed = f"{sent_id}.{timestamp}.".encode(errors="replace") + content
    for one in [secret] if isinstance(secret, str) else secret:
        digest = hmac.new(key_of(one), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        # Each in constant time
        if any(hmac.compare_digest(expected, signature.encode(errors="replace")) for signature in signatures.split(" ")):
            return cast(WebhookEvent, {**json.loads(content), "id": sent_id})
    raise WebhookVerificationError("no signature is by this secret")


def header(given: Dict[str, str], name: str) -> str:
    value = given.get(name)
    if not value:
        raise WebhookVerificationError(f"{name} is missing")
    return value


def key_of(secret: str) -> bytes:
    encoded = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("the secret of a webhook is whsec_ and base64")
    return key
