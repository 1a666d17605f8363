import base64
import unittest
from email.message import Message
from typing import Callable, Dict, List, Union

from slotwise import WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"\7" * 24).decode()
OTHER = "whsec_" + base64.b64encode(b"\10" * 24).decode()
BODY = '{"type":"webhook.test","timestamp":"2026-11-21T09:30:00.000Z","data":{"text":"für Ada"}}'
AT = 1795253400
# What the library `standardwebhooks` makes of `evt_1`, AT and BODY
BY_SECRET = "v1,yqBJgwZijHPqykSqWlBjIAVZbOefkSgtk+FX/DPKPzU="
BY_OTHER = "v1,a21PvZ1p1NucTNiyVNSvhsOOcCg1tfDOC2ZGbCkSMDQ="


def signed(signature: str = BY_SECRET) -> Dict[str, str]:
    return {"webhook-id": "evt_1", "webhook-timestamp": str(AT), "webhook-signature": signature}


def verify(
    headers: Dict[str, str], secret: Union[str, List[str]] = SECRET, body: Union[str, bytes] = BODY
) -> object:
    return verify_webhook(body, headers, secret, now=AT)


class VerifyWebhook(unittest.TestCase):
    def test_what_the_secret_signed_is_the_event_with_its_id(self) -> None:
        event = {
            "id": "evt_1",
            "type": "webhook.test",
            "timestamp": "2026-11-21T09:30:00.000Z",
            "data": {"text": "für Ada"},
        }
        self.assertEqual(verify(signed()), event)
        self.assertEqual(verify(signed(), body=BODY.encode()), event)
        self.assertEqual(verify({name.title(): value for name, value in signed().items()}), event)
        message = Message()
        for name, value in signed().items():
            message[name] = value
        self.assertEqual(verify_webhook(BODY, message, SECRET, now=AT), event)

    def test_one_of_several_secrets_is_enough_on_either_side(self) -> None:
        verify(signed(f"{BY_OTHER} {BY_SECRET}"))
        verify(signed(), [OTHER, SECRET])

    def test_whatever_is_different_is_refused(self) -> None:
        refused: List[Callable[[], object]] = [
            lambda: verify(signed(BY_OTHER)),
            lambda: verify({**signed(), "webhook-id": "evt_2"}),
            lambda: verify({**signed(), "webhook-timestamp": str(AT + 1)}),
            lambda: verify(signed(), body=BODY.replace("Ada", "Eve")),
            lambda: verify(signed(), body=BODY + "\ud800"),
            lambda: verify(signed("v1,%%% v1,AAAA v2,x v1,ä \ud800")),
            lambda: verify(signed(BY_SECRET.replace("v1,", "v2,"))),
            lambda: verify(signed("")),
            lambda: verify({**signed(), "webhook-timestamp": "now"}),
            lambda: verify({**signed(), "webhook-timestamp": "nan"}),
            lambda: verify({}),
        ]
        for one in refused:
            with self.assertRaises(WebhookVerificationError):
                one()

    def test_more_than_five_minutes_away_from_the_clock_is_refused(self) -> None:
        for away in (-300, 300):
            verify_webhook(BODY, signed(), SECRET, now=AT + away)
        for away in (-301, 301):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(BODY, signed(), SECRET, now=AT + away)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(BODY, signed(), SECRET)  # by the real clock

    def test_what_is_no_secret_is_told_to_the_developer(self) -> None:
        for secret in ("", "whsec_", "whsec_%%AAAA", "whsec_ä"):
            with self.assertRaises(ValueError):
                verify(signed(), secret)


if __name__ == "__main__":
    unittest.main()
