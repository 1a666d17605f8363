/**
 * A first booking with the generated client. To run it:
 *
 *     npm run generate:client
 *     API=http://127.0.0.1:3000 KEY=slw_… node docs/client-example.ts
 *
 * Your own project needs `docs/client/slotwise.ts` and `npm i @oazapfts/runtime`, nothing else.
 */
import { randomUUID } from 'node:crypto';
import * as slotwise from './client/slotwise.ts';

slotwise.defaults.baseUrl = process.env.API!;
slotwise.defaults.headers = { Authorization: `Bearer ${process.env.KEY}` };

const service = await slotwise.createService({
	createService: {
		name: 'Piano lesson',
		timezone: 'Europe/Berlin',
		time_slots: [
			{ day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 4 },
		],
	},
});
if (service.status !== 201) throw new Error(`no service: ${JSON.stringify(service.data)}`);

// Each status has a type of its own: after the check above, `data` is a service.
const { id: serviceId, timezone } = service.data.data;
const free = await slotwise.getServiceAvailability({ serviceId, $from: '2026-11-23', to: '2026-11-29' });
if (free.status !== 200) throw new Error(`no availability: ${JSON.stringify(free.data)}`);
const [place] = free.data.data.availability;
process.stdout.write(`${place!.remaining} free on ${place!.starts_at} (${timezone})\n`);

// With a key of its own the request may be repeated until an answer comes: it books once.
const request = {
	idempotencyKey: randomUUID(),
	createBooking: { date: place!.date, time_slot_id: place!.time_slot_id, customer_email: 'ada@example.com' },
};
for (const _attempt of ['first', 'repeated']) {
	const booking = await slotwise.createBooking(request);
	if (booking.status === 201) process.stdout.write(`booking ${booking.data.data.id} is ${booking.data.data.status}\n`);
	else if (booking.status === 429) process.stdout.write(`try again in ${booking.headers.get('Retry-After')} s\n`);
	else process.stdout.write(`refused: ${booking.data.error}\n`);
}

const again = await slotwise.createBooking({ ...request, idempotencyKey: randomUUID() });
// Programs decide by `code`, people read `error`.
if (again.status === 400 && again.data.code === 'duplicate_booking')
	process.stdout.write(`refused: ${again.data.error}\n`);
