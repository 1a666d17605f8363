import { openStore } from '../../shared/store/open-store.ts';
import { fillAccount } from './fill-account.ts';
import type { Client } from './http-client.ts';
import { embeddedDataDir, type Product } from './product.ts';
import { createService, slotInput, slotsOf } from './scheduling.ts';

/** Has an embedded product keep so many bookings of an account before anything else happens. */
export async function fillProduct(product: Product, client: Client, count: number): Promise<void> {
	const input = slotInput({ max_bookings: 1_000 });
	const { id, provider_id, timezone } = await createService(client, {
		time_slots: Array.from({ length: 50 }, () => input),
	});
	const slots = await slotsOf(client, id);
	const [process] = product.processes;
	await process!.stop();
	const store = await openStore({ form: 'embedded', dataDir: embeddedDataDir(product) });
	await fillAccount(store, { account_id: provider_id, slots, timezone, perPlace: 1_000, count }, Date.now());
	await store.close();
	await process!.restart();
	await process!.ready();
}
