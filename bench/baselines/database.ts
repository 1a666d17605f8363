import { bookingModel } from '../../services/booking/document/booking.model.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { filledBooking, mondaySlots } from '../fill.ts';
import { serveTasks } from '../forked.ts';
import { Tally } from '../load/figures.ts';

/**
 * What the database itself gives, asked by the driver alone: the product's connection (pool, write and read concern), its
 * collection, its indexes, its documents, without anything of the product around them.
 */
export type DatabaseTask = { clients: number; seconds: number } & Statement;
export type Statement =
	| { kind: 'insert' }
	/** Page of a service's bookings, as the product's list reads it */
	| { kind: 'page'; account_id: string; service_id: number; page_size: number };

const store = await openStore({ form: 'cluster', mongoUrl: process.env.MONGO_URL!, namespace: 'bench' });
const model = bookingModel(store.connection);
await prepareModels([model]);
const collection = store.connection.db!.collection<{ _id: number }>(model.collection.name);
const PLAN = {
	account_id: 'acc_bench',
	service_id: 1,
	slots: mondaySlots(50),
	timezone: 'UTC',
	perPlace: 10,
	fromWeek: 0,
};
let ids = 0;

serveTasks<DatabaseTask>(undefined, async ({ clients, seconds, ...task }) => {
	const tally = new Tally();
	const end = performance.now() + seconds * 1_000;
	const client = async () => {
		for (let began = performance.now(); began < end; began = performance.now()) {
			await perform(task);
			const now = performance.now();
			if (now < end) tally.add(200, now - began);
		}
	};
	await Promise.all(Array.from({ length: clients }, client));
	return tally.figures(seconds);
});

async function perform(task: Statement): Promise<void> {
	if (task.kind === 'insert') {
		const id = ++ids;
		await collection.insertOne(filledBooking(PLAN, id, id));
		return;
	}
	const { account_id, service_id, page_size } = task;
	await collection.find({ account_id, listed_under: service_id }).sort({ _id: 1 }).limit(page_size).toArray();
}
