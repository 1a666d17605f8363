import { addDays } from '../../../shared/calendar/plain-date.ts';
import type { WebhookWithSecret } from '../../../shared/contract/schemas/webhook.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Client } from '../../support/http-client.ts';
import { createService, newCustomer, slotInput, slotsOf } from '../../support/scheduling.ts';

const SLOTS = 500;
/** Requests at once while it is filled */
const AT_ONCE = 32;
/** As long as the API takes it, in characters of four bytes */
const LONG = '😀'.repeat(500);

/** What an account has that asks for much. */
export interface DearWorld {
	serviceId: number;
	slotIds: number[];
	longServiceId: number;
	bookingId: number;
	/** Disabled, so that nothing of it works beside what is asked */
	webhookId: number;
	/** Enabled, for the events of one seldom type */
	enabledWebhookId: number;
	deliveryId: number;
}

/**
 * Fills an account: 500 slots on every day of the week, and bookings of them.
 * @param bookings on many dates; a fifth as many more have long texts
 */
export async function dearWorld(client: Client, bookings: number): Promise<DearWorld> {
	const time_slots = dearSlots();
	const service = await createService(client, { time_slots });
	const slotIds = (await slotsOf(client, service.id)).map(({ id }) => id);
	const longService = await createService(client, { time_slots: [slotInput({ max_bookings: 10_000 })] });
	const [longSlot] = await slotsOf(client, longService.id);
	const date = (at: number) => addDays(dateOn(at % 7), 7 * (Math.floor(at / SLOTS) % 10));
	const body = (at: number) => ({ time_slot_id: slotIds[at % SLOTS], date: date(at % SLOTS), ...newCustomer() });
	const [bookingId] = await many(bookings, (at) => bookingOf(client, body(at)));
	const long = { time_slot_id: longSlot!.id, date: dateOn(1), message: LONG };
	await many(bookings / 5, () => bookingOf(client, { ...long, ...newCustomer() }));
	const webhook = async (more: object) => {
		const body = { url: 'http://127.0.0.1:9/', ...more };
		return (await client.post<WebhookWithSecret>('/v1/webhooks', body)).mustBe(201).id;
	};
	const webhookId = await webhook({ enabled: false });
	const enabledWebhookId = await webhook({ events: ['booking.confirmed'] });
	const delivery = await client.post<{ id: number }>(`/v1/webhooks/${enabledWebhookId}/test`);
	return {
		serviceId: service.id,
		slotIds,
		longServiceId: longService.id,
		bookingId: bookingId!,
		webhookId,
		enabledWebhookId,
		deliveryId: delivery.mustBe(202).id,
	};
}

/** As many as a service may have */
export function dearSlots() {
	return Array.from({ length: SLOTS }, (_, at) => slotInput({ day_of_week: at % 7, max_bookings: 10_000 }));
}

async function bookingOf(client: Client, body: object): Promise<number> {
	return (await client.post<{ id: number }>('/v1/bookings', body)).mustBe(201).id;
}

async function many<T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> {
	const results: T[] = [];
	let next = 0;
	const loop = async () => {
		while (next < count) {
			const at = next++;
			results[at] = await act(at);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, loop));
	return results;
}
