/**
 * A first booking. In a project of your own: `npm i` the client's tarball, and copy this file there, or run it here:
 *
 *     cd clients/typescript && npm pack && npm i --no-save ./slotwise-client-0.1.0.tgz
 *     API=http://127.0.0.1:3000 KEY=slw_… node example.ts
 *
 * Node runs TypeScript by itself from 22.18 on; an older one runs what `tsc` makes of this file.
 */
import { createClient, SlotwiseError } from '@slotwise/client';

declare const process: { env: Record<string, string | undefined> };

const slotwise = createClient({ baseUrl: process.env.API!, apiKey: process.env.KEY! });

const { id: serviceId, timezone } = await slotwise.createService({
	body: {
		name: 'Piano lesson',
		timezone: 'Europe/Berlin',
		time_slots: [
			{ day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 4 },
		],
	},
});
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const { availability } = await slotwise.getServiceAvailability({ serviceId, from: inDays(1), to: inDays(7) });
const [place] = availability;
console.log(`${place!.remaining} free on ${place!.starts_at} (${timezone})`);

// With a key of its own the request may be repeated until an answer comes: it books once.
const request = {
	idempotencyKey: crypto.randomUUID(),
	body: { date: place!.date, time_slot_id: place!.time_slot_id, customer_email: 'ada@example.com' },
};
for (const _attempt of ['first', 'repeated']) {
	const booking = await slotwise.createBooking(request);
	console.log(`booking ${booking.id} is ${booking.status}`);
}

// Without one the client makes a key for each call, so this is another booking. Decide by `code`; people read `message`.
try {
	await slotwise.createBooking({ body: request.body });
} catch (error) {
	if (!(error instanceof SlotwiseError && error.code === 'duplicate_booking')) throw error;
	console.log(`refused: ${error.message}`);
}

for await (const booking of slotwise.each('listBookings', { serviceId })) console.log(`listed: ${booking.id}`);
for await (const { type } of slotwise.events({ follow: false })) console.log(`event: ${type}`);
