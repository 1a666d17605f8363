import json
import threading
import time
import unittest
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple
from unittest.mock import patch

from slotwise import CreateBooking, NoAnswerError, Slotwise, SlotwiseError

BOOKING: CreateBooking = {"date": "2027-01-04", "time_slot_id": 7}

Step = Callable[[BaseHTTPRequestHandler], None]


def answers(status: int, body: Any, headers: Optional[Dict[str, str]] = None) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return step


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def void(_: Any) -> None:
    pass


def refuses(status: int, code: str, headers: Optional[Dict[str, str]] = None) -> Step:
    return answers(status, {"error": code, "code": code}, headers)


AWAY = refuses(503, "service_unavailable", {"Retry-After": "1"})
BOOKED = answers(201, {"data": {"id": 1}})


class Retries(unittest.TestCase):
    def scripted(self, *steps: Step, **options: float) -> Tuple[List[Dict[str, Any]], Slotwise]:
        """A server that goes through its steps, and the client that asks it."""
        seen: List[Dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                key = self.headers.get("Idempotency-Key")
                given = {name.lower(): value for name, value in self.headers.items()}
                seen.append({"key": key, "at": time.monotonic(), "path": self.requestline.split()[1], "headers": given, "body": body})
                steps[min(len(seen), len(steps)) - 1](self)

            do_GET = do_POST = do_PATCH = do_DELETE = do

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return seen, Slotwise(f"http://127.0.0.1:{server.server_port}/", "slw_x", **options)

    def test_a_creation_without_an_answer_is_sent_again_under_the_same_key(self) -> None:
        seen, slotwise = self.scripted(hangs_up, refuses(504, "gateway_timeout"), BOOKED)
        self.assertEqual(slotwise.create_booking(body=BOOKING), {"id": 1})
        self.assertEqual(len(seen), 3)
        self.assertEqual(len({one["key"] for one in seen}), 1)
        self.assertRegex(seen[0]["key"], "^[0-9a-f-]{36}$")
        slotwise.create_booking(body=BOOKING)
        self.assertNotEqual(seen[3]["key"], seen[0]["key"])

    def test_a_key_of_the_callers_is_sent(self) -> None:
        seen, slotwise = self.scripted(BOOKED)
        slotwise.create_booking(body=BOOKING, idempotency_key="order-17")
        self.assertEqual(seen[0]["key"], "order-17")

    def test_no_request_comes_before_retry_after(self) -> None:
        seen, slotwise = self.scripted(AWAY, BOOKED)
        slotwise.create_booking(body=BOOKING)
        self.assertGreaterEqual(seen[1]["at"] - seen[0]["at"], 0.99)

    def test_pauses_grow(self) -> None:
        seen, slotwise = self.scripted(hangs_up, hangs_up, hangs_up, BOOKED)
        slotwise.create_booking(body=BOOKING)
        pauses = [later["at"] - earlier["at"] for earlier, later in zip(seen, seen[1:])]
        for pause, least in zip(pauses, (0.125, 0.25, 0.5)):
            self.assertGreaterEqual(pause, least * 0.99)

    def test_a_read_without_an_answer_is_sent_again(self) -> None:
        seen, slotwise = self.scripted(hangs_up, AWAY, answers(200, {"data": {"id": 1}}))
        self.assertEqual(slotwise.get_booking(1), {"id": 1})
        self.assertEqual([one["key"] for one in seen], [None] * 3)

    def test_whatever_stands_before_the_api_may_say_that_it_is_away(self) -> None:
        away = [answers(status, b"<html>", {"Retry-After": "Tue, 24 Nov 2026 00:00:00 GMT"}) for status in (502, 503, 504)]
        seen, slotwise = self.scripted(*away, answers(200, {"data": {"id": 1}}))
        with patch("slotwise._send.FIRST", 0.01):
            self.assertEqual(slotwise.get_booking(1), {"id": 1})
        self.assertEqual(len(seen), 4)

    def test_what_is_no_http_or_takes_too_long_is_no_answer(self) -> None:
        late = threading.Event()
        self.addCleanup(late.set)
        steps: List[Step] = [lambda handler: void(handler.wfile.write(b"what?\r\n\r\n")), lambda _: void(late.wait())]
        for step in steps:
            _, slotwise = self.scripted(step, retries=0)
            with patch("slotwise._send.PATIENCE", 0.2), self.assertRaises(NoAnswerError):
                slotwise.get_booking(1)

    def test_a_change_that_could_be_made_twice_is_not_sent_again(self) -> None:
        seen, slotwise = self.scripted(hangs_up, AWAY)
        with self.assertRaises(NoAnswerError):
            slotwise.update_booking(1, body={"status": "confirmed"})
        with self.assertRaises(SlotwiseError) as told:
            slotwise.update_booking(1, body={"status": "confirmed"})
        self.assertEqual((told.exception.status, told.exception.code), (503, "service_unavailable"))
        self.assertEqual(told.exception.retry_after, 1)
        self.assertEqual(len(seen), 2)

    def test_a_change_that_a_limit_refused_is_sent_again(self) -> None:
        limited = refuses(429, "rate_limit_exceeded", {"Retry-After": "1"})
        seen, slotwise = self.scripted(limited, answers(200, {"data": {"id": 1}}))
        slotwise.update_booking(1, body={"status": "confirmed"})
        self.assertEqual(len(seen), 2)

    def test_a_request_under_the_same_key_is_waited_for(self) -> None:
        seen, slotwise = self.scripted(refuses(409, "request_in_progress"), BOOKED)
        slotwise.create_booking(body=BOOKING)
        self.assertEqual(len(seen), 2)

    def test_a_limit_that_lasts_too_long_is_told_at_once(self) -> None:
        error = {"code": "rate_limit_exceeded", "message": "the month is used up", "retry_after": 86400}
        seen, slotwise = self.scripted(answers(429, {"error": error, "code": error["code"]}, {"Retry-After": "86400"}))
        with self.assertRaises(SlotwiseError) as told:
            slotwise.get_usage()
        self.assertEqual((str(told.exception), told.exception.retry_after), ("the month is used up", 86400))
        self.assertEqual(len(seen), 1)

    def test_what_the_business_refuses_is_not_asked_again(self) -> None:
        for status, code in [(400, "time_slot_full"), (409, "version_conflict"), (500, "internal_error")]:
            seen, slotwise = self.scripted(refuses(status, code, {"X-Request-Id": "r-1"}))
            with self.assertRaises(SlotwiseError) as told:
                slotwise.create_booking(body=BOOKING)
            self.assertEqual((told.exception.code, told.exception.request_id), (code, "r-1"))
            self.assertEqual(len(seen), 1)

    def test_a_server_that_stays_away_is_asked_as_often_as_wanted(self) -> None:
        seen, slotwise = self.scripted(hangs_up, retries=1)
        with self.assertRaises(NoAnswerError):
            slotwise.list_services()
        self.assertEqual(len(seen), 2)
        with self.assertRaises(NoAnswerError):
            slotwise.with_retries(0).list_services()
        self.assertEqual(len(seen), 3)

    def test_the_feed_waits_for_a_server_that_is_away(self) -> None:
        page = answers(200, {"data": {"events": [{"sequence": 1}], "next_after": 1, "has_more": False}})
        seen, slotwise = self.scripted(*[hangs_up] * 7, page, retries=0)
        with patch("slotwise._send.FIRST", 0.001):
            self.assertEqual(next(slotwise.events(types=["booking.created", "booking.deleted"])), {"sequence": 1})
        self.assertEqual(
            seen[7]["path"], "/v1/events?after=0&limit=1000&types=booking.created%2Cbooking.deleted&wait=30"
        )

    def test_pages_are_read_until_the_last(self) -> None:
        feed = [{"events": [{"sequence": n}], "next_after": n, "has_more": n < 2} for n in (1, 2)]
        seen, slotwise = self.scripted(*[answers(200, {"data": page}) for page in feed])
        self.assertEqual(list(slotwise.events(after=0, follow=False)), [{"sequence": 1}, {"sequence": 2}])
        self.assertEqual([one["path"] for one in seen], [f"/v1/events?after={n}&limit=1000" for n in (0, 1)])
        lists = [{"services": [{"id": n}], "pagination": {"total_pages": 2}} for n in (1, 2)]
        seen, slotwise = self.scripted(*[answers(200, {"data": page}) for page in lists])
        self.assertEqual(list(slotwise.iter_services()), [{"id": 1}, {"id": 2}])
        self.assertEqual([one["path"] for one in seen], [f"/v1/services?page={n}&page_size=100" for n in (1, 2)])

    def test_what_something_else_than_the_api_answers_is_an_error_with_its_status(self) -> None:
        for status, body in [(404, b"<html>"), (404, b"\xff"), (404, b'{"data": 1}')]:
            _, slotwise = self.scripted(answers(status, body))
            with self.assertRaises(SlotwiseError) as told:
                slotwise.list_services()
            self.assertEqual((told.exception.status, told.exception.code), (status, "unknown"))

    def test_what_is_not_the_whole_answer_says_nothing_of_what_was_made(self) -> None:
        for body in (b"<html>", b"[]", b'{"data": {"id": 1', b'{"ok": true}'):
            seen, slotwise = self.scripted(answers(201, body), BOOKED, answers(200, body))
            self.assertEqual(slotwise.create_booking(body=BOOKING), {"id": 1})
            self.assertEqual(seen[0]["key"], seen[1]["key"])
            with self.assertRaises(NoAnswerError):
                slotwise.update_booking(booking_id=1, body={"status": "confirmed"})
            self.assertEqual(len(seen), 3)

    def test_retry_after_may_be_a_date(self) -> None:
        tomorrow = formatdate(time.time() + 86400, usegmt=True)
        for text, least, most in [(tomorrow, 86300, 86400), ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0)]:
            _, slotwise = self.scripted(refuses(429, "rate_limit_exceeded", {"Retry-After": text}), retries=0)
            with self.assertRaises(SlotwiseError) as told:
                slotwise.get_usage()
            self.assertTrue(least <= (told.exception.retry_after or 0) <= most)

    def test_nobody_else_gets_the_key(self) -> None:
        other, elsewhere = self.scripted(BOOKED)
        address = elsewhere._sender.base_url + "v1/services"
        for status in (301, 302, 307, 308):
            _, slotwise = self.scripted(answers(status, b"", {"Location": address}))
            with self.assertRaises(SlotwiseError):
                slotwise.list_services()
        self.assertEqual(other, [])
        self.assertNotIn("slw_x", repr(slotwise._sender))

    def test_what_is_asked_is_sent_as_the_api_reads_it(self) -> None:
        seen, slotwise = self.scripted(answers(200, {"data": {"id": 1}}))
        slotwise.list_customers(email="a+b@example.com", page=2)
        slotwise.update_service(7, body={"name": "für"}, dry_run=True, if_match='"3"')
        slotwise.delete_booking(7)
        first, second, third = seen
        self.assertEqual(first["path"], "/v1/customers?email=a%2Bb%40example.com&page=2")
        self.assertEqual(first["headers"]["authorization"], "Bearer slw_x")
        self.assertEqual(second["path"], "/v1/services/7?dry_run=true")
        self.assertEqual(second["headers"]["if-match"], '"3"')
        self.assertEqual(second["headers"]["content-type"], "application/json")
        self.assertEqual(json.loads(second["body"]), {"name": "für"})
        self.assertEqual((third["path"], third["body"]), ("/v1/bookings/7", b""))
        self.assertNotIn("if-match", third["headers"])


if __name__ == "__main__":
    unittest.main()
