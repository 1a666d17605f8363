"""
A first booking: `pip install` the client, then

    API=http://127.0.0.1:3000 KEY=slw_… python3 example.py
"""

import os
from datetime import date, timedelta
from uuid import uuid4

from slotwise import CreateBooking, Slotwise, SlotwiseError

slotwise = Slotwise(os.environ["API"], os.environ["KEY"])

service = slotwise.create_service(
    body={
        "name": "Piano lesson",
        "timezone": "Europe/Berlin",
        "time_slots": [
            {
                "day_of_week": 1,  # Monday; of these two moments the times of day count
                "start_time": "2026-01-05 09:00:00",
                "end_time": "2026-01-05 10:00:00",
                "max_bookings": 4,
            }
        ],
    }
)

tomorrow = date.today() + timedelta(days=1)
week_later = tomorrow + timedelta(days=6)
week = slotwise.get_service_availability(service["id"], from_=str(tomorrow), to=str(week_later))
place = week["availability"][0]
print(f"{place['remaining']} free on {place['starts_at']} ({service['timezone']})")

# With a key of its own the request may be repeated until an answer comes: it books once.
key = str(uuid4())
wish: CreateBooking = {
    "date": place["date"],
    "time_slot_id": place["time_slot_id"],
    "customer_email": "ada@example.com",
}
for _ in ("first", "repeated"):
    booking = slotwise.create_booking(body=wish, idempotency_key=key)
    print(f"booking {booking['id']} is {booking['status']}")

# Without one the client makes a key for each call, so this is another booking. Decide by `code`; people read the text.
try:
    slotwise.create_booking(body=wish)
except SlotwiseError as error:
    if error.code != "duplicate_booking":
        raise
    print(f"refused: {error}")

for booking in slotwise.iter_bookings(service_id=service["id"]):
    print(f"listed: {booking['id']}")
for event in slotwise.events(follow=False):
    print(f"event: {event['type']}")
