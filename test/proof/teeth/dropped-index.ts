import { MongoClient } from 'mongodb';
import { SEATED } from '../../../services/booking/document/booking.model.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../../support/calendar.ts';
import { slotInput } from '../../support/scheduling.ts';
import { Cluster } from '../cluster.ts';
import { Recorder } from '../recorder.ts';
import { summarise } from '../summary.ts';
import { RecordedApi } from '../workload/recorded-api.ts';
import { readFinalState } from '../workload/settle.ts';

/** A cluster that goes on without the lock while many want the same places. @returns the rules that its history breaks */
export async function brokenWithoutLock(isIndexDropped: boolean): Promise<string[]> {
	const cluster = await Cluster.start({ accounts: 1, counts: { booking: 3 } });
	try {
		if (isIndexDropped) await dropSeats(cluster.product.mongoUrl!);
		await cluster.proxies.redis.set({ kind: 'cut' });
		const recorder = new Recorder();
		const [account] = cluster.accounts();
		const api = new RecordedApi(account!.name, account!.http, recorder);
		await contend(api);
		await readFinalState(api, recorder, isIndexDropped ? 5_000 : 30_000);
		return [...new Set(summarise(recorder.lines).violations.map(({ rule }) => rule))];
	} finally {
		await cluster.stop();
	}
}

/** Reads go on by an index of the same name, which refuses nothing. */
async function dropSeats(url: string): Promise<void> {
	const mongo = new MongoClient(url);
	const bookings = mongo.db().collection('bookings');
	await bookings.dropIndex('seats');
	await bookings.createIndex({ place: 1, seat: 1 }, { name: 'seats', partialFilterExpression: SEATED });
	await mongo.close();
}

/** Ten slots of two places, each wanted by 30 at once. */
async function contend(api: RecordedApi): Promise<void> {
	const time_slots = Array.from({ length: 10 }, () => slotInput({ max_bookings: 2 }));
	const made = await api.ask(0, { kind: 'create service', body: { time_slots } });
	const { id: service_id } = made.data as { id: number };
	const slots = (await api.ask(0, { kind: 'list slots', service_id })).data as TimeSlot[];
	for (const { id: time_slot_id } of slots) {
		const body = { time_slot_id, date: dateOn(1) };
		await Promise.all(
			Array.from({ length: 30 }, (_, client) =>
				api.ask(client, { kind: 'create', body: { ...body, message: `${client}` } }),
			),
		);
	}
}
