"""
A client of the Slotwise booking API.

    slotwise = Slotwise("http://127.0.0.1:3000", "slw_…")
    booking = slotwise.create_booking(body={"date": "2027-01-04", "time_slot_id": 7})
"""

from . import _api
from ._api import *
from ._client import Slotwise
from ._errors import NoAnswerError, SlotwiseError
from ._verify_webhook import WebhookEvent, WebhookTest, WebhookVerificationError, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "NoAnswerError",
    "Slotwise",
    "SlotwiseError",
    "WebhookEvent",
    "WebhookTest",
    "WebhookVerificationError",
    "verify_webhook",
]
__all__ += _api.__all__
