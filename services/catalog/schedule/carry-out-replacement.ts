import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceKey } from '../../../shared/contract/actions.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { SlotUpdateDocument } from './slot.model.ts';

const LOOK_EVERY = 10; // ms
/** Looks after somebody else's replacement before it is broken off; one takes some 10 ms */
const LOOKS = 25;

/**
 * Changes the slots of a service as its new schedule has them, then notes that it is done. It has no deadline, for the
 * schedule was replaced already. Any number of processes may do so at once, and one that was stopped on the way and goes on
 * changes nothing any more: each slot changes only as it was before, and an added one becomes active only while there is
 * something to do. (Where the service was deleted meanwhile, what such a process adds stays new, and the sweep removes it.)
 */
export function carryOutReplacement(store: CatalogStore, key: ServiceKey): Promise<void> {
	return withoutDeadline(async () => {
		const { slots, replacements, clock } = store;
		const committed = await replacements.committed(key);
		if (committed === null) return;
		const { account_id, generation, replacement } = committed;
		await slots.add(replacement);
		if (replacement.added.length > 0 && !(await replacements.isOpen(committed))) return;
		await slots.replace(committed, generation, replacement, clock.now());
		// In this order: who reads the slots of all services at one moment looks for open ones first, then for the sequence.
		await replacements.end({ account_id, sequence: generation, replacing: key.service_id });
		await replacements.done(committed);
	});
}

/**
 * Ends a replacement that another request has begun: it is waited for, then carried out where it was committed, and else
 * kept from being committed.
 */
export async function endReplacement(store: CatalogStore, begun: SlotUpdateDocument): Promise<void> {
	const { account_id, sequence, replacing: service_id = 0 } = begun;
	for (let looks = 1; ; looks++) {
		const service = await store.services.find(account_id, service_id);
		if (!service || service.deleted_at !== null) return store.replacements.end(begun);
		if (service.generation === sequence) await carryOutReplacement(store, { account_id, service_id });
		else if (looks < LOOKS) await delay(LOOK_EVERY);
		else if (await store.replacements.breakOff(service, begun)) return store.replacements.end(begun);
		if ((await store.slots.latestUpdate(account_id))?.sequence !== sequence) return;
	}
}
