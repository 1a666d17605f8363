import { setTimeout as delay } from 'node:timers/promises';
import { bookingModel } from '../../services/booking/document/booking.model.ts';
import { customerModel } from '../../services/customer/customer-store.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { embeddedDataDir, type Product } from '../support/product.ts';
import type { DirectoryRecord } from './history.ts';
import type { Recorder } from './recorder.ts';

/** Looks at the store, with the relay given a second between two of them */
const LOOKS = 30;

/**
 * Writes down the directory of customers of every account whose final state was read. No operation of the API shows it,
 * so it is read from the store: in a cluster beside the processes, embedded after the process has ended.
 */
export async function recordDirectory(product: Product, recorder: Recorder): Promise<void> {
	const records = await readSettled(product);
	for (const { account, events } of recorder.finals()) {
		const account_id = events[0]?.data.user_id;
		if (account_id !== undefined) recorder.directory(account, records.get(account_id) ?? []);
	}
}

/** By account, once no outbox has anything left to tell it. What is left after half a minute, the checker will say. */
async function readSettled(product: Product): Promise<Map<string, DirectoryRecord[]>> {
	for (let look = 1; ; look++) {
		const { waiting, records } = await read(product);
		if (waiting === 0 || look === LOOKS) return records;
		await letItRun(product);
	}
}

async function read(product: Product): Promise<{ waiting: number; records: Map<string, DirectoryRecord[]> }> {
	const store = await open(product);
	try {
		const waiting = await bookingModel(store.connection)
			.countDocuments({ relay_at: { $gt: 0 } })
			.setOptions({ everyAccount: true });
		const rows = await customerModel(store.connection).find({}).setOptions({ everyAccount: true }).lean();
		const records = rows.map(({ _id: booking_id, account_id, version, customer }) => ({
			account_id,
			record: { booking_id, version, customer },
		}));
		const byAccount = Map.groupBy(records, ({ account_id }) => account_id);
		return { waiting, records: new Map([...byAccount].map(([id, all]) => [id, all.map(({ record }) => record)])) };
	} finally {
		await store.close();
	}
}

/** The embedded store belongs to one process at a time. Stopped as it is, its relay ends what it has begun. */
async function open(product: Product): Promise<Store> {
	if (product.form === 'cluster')
		return openStore({ form: 'cluster', mongoUrl: product.mongoUrl!, namespace: 'proof' });
	await product.processes[0]!.stop();
	return openStore({ form: 'embedded', dataDir: embeddedDataDir(product) });
}

async function letItRun({ form, processes }: Product): Promise<void> {
	if (form === 'embedded') {
		await processes[0]!.restart();
		await processes[0]!.ready();
	}
	await delay(1_000);
}
