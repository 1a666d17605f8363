"""A receiver of Slotwise's webhooks: it verifies them, refuses old ones, and handles each event once and in order; what
it missed it reads from the feed. Python 3.9 or later, and `pip install standardwebhooks`; then

    WEBHOOK_SECRET=whsec_... SLOTWISE_URL=https://... SLOTWISE_KEY=slw_... python3 receiver.py
"""

import json
import os
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

SECRET = os.environ["WEBHOOK_SECRET"]
SLOTWISE_URL = os.environ.get("SLOTWISE_URL", "http://127.0.0.1:3000")
SLOTWISE_KEY = os.environ.get("SLOTWISE_KEY", "")
PORT = int(os.environ.get("PORT", "8080"))
MAX_BODY = 1_048_576

# Sequence of the last event that was handled, and ids. Keep both in your database, in the transaction that handles.
position = 0
handled = set()
one_at_a_time = threading.Lock()  # two deliveries may come at once, and each looks at the position


def handle(event_id, message):
    """Your code: quick work, or an entry in a queue of yours, for the answer has to come within 15 s."""
    global position
    handled.add(event_id)
    sequence = message.get("sequence")  # a webhook.test has none
    if sequence is not None:
        position = sequence
    print("handled", sequence or "test", message["type"], event_id, flush=True)


def receive(event_id, message):
    if event_id in handled:
        return  # delivered again
    sequence = message.get("sequence")
    if sequence is None or sequence == position + 1:
        handle(event_id, message)
    elif sequence > position:
        catch_up()  # some are missing: deliveries come in no promised order


def catch_up():
    """Handles what the feed has after our position, in order, this message's event among it."""
    more = True
    while more:
        url = f"{SLOTWISE_URL}/v1/events?after={position}&limit=1000"
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {SLOTWISE_KEY}"})
        # 410: we were away for more than 30 days, or an older backup was restored. Read the bookings anew, then go on with after=0.
        with urllib.request.urlopen(request, timeout=10) as answer:
            data = json.load(answer)["data"]
        for event in data["events"]:
            handle(event["id"], event)
        more = data["has_more"]


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # s that a connection may be silent

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            return self.answer(413)
        body = self.rfile.read(int(length))
        try:
            # The raw body: parsing it and writing it again gives other bytes. It also refuses what is 5 minutes old.
            message = Webhook(SECRET).verify(body, dict(self.headers))
        except Exception:  # a malformed header or body raises others than WebhookVerificationError
            return self.answer(401)
        try:
            with one_at_a_time:
                receive(self.headers["webhook-id"], message)
        except Exception as error:
            print("not handled, it will come again:", error, file=sys.stderr)
            return self.answer(500)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # many deliveries may come at once
    daemon_threads = True


server = Server(("127.0.0.1", PORT), Receiver)
print("listening on", server.server_address[1], flush=True)
try:
    with one_at_a_time:
        catch_up()
except Exception as error:
    print("not caught up:", error, file=sys.stderr)
server.serve_forever()
