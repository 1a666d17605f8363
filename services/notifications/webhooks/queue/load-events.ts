import { matchOwned } from '../../../../shared/engine/by-account.ts';
import { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { EventDocument, EventModel } from '../../log/event.model.ts';

export interface EventKey {
	account_id: string;
	event_id: string;
}

/** Events of one batch, each up to about 10 KiB */
const MOST = 64;

/** Events by id, as they are in the log; null where one is no longer kept. Those asked for together share a find. */
export function loadEvents(model: EventModel): Gatherer<EventKey, EventDocument | null> {
	return new Gatherer(
		async (keys) => {
			const filter = {
				_id: { $in: [...new Set(keys.map(({ event_id }) => event_id))] },
				account_id: { $in: [...new Set(keys.map(({ account_id }) => account_id))] },
			};
			const found = await model.find(filter).lean<EventDocument[]>();
			const idOf = (key: EventKey) => key.event_id;
			return matchOwned(keys, idOf, found, (event) => event._id);
		},
		{ maxBatch: MOST },
	);
}
