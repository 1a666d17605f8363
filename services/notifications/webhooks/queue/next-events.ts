import { type AccountKey, accountKey } from '../../../../shared/contract/account-key.ts';
import { isError } from '../../../../shared/contract/errors.ts';
import type { BookingEvent } from '../../../../shared/contract/schemas/event.ts';
import { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { EventModel } from '../../log/event.model.ts';
import { readEvents } from '../../log/read-events.ts';

export interface EventPosition {
	account_id: string;
	/** Sequence */
	after: number;
}

export interface EventPage {
	events: BookingEvent[];
	has_more: boolean;
}

/** Events of one page, each up to about 10 KiB */
const PAGE = 100;
/** Different questions of a batch are read one beside the other. */
const AT_ONCE = 16;

/**
 * Reads on in accounts' logs. Webhooks of one account mostly stand at the same place and ask together: they share a read.
 * Where the events behind a place are no longer kept, it goes on with the oldest that is.
 */
export function nextEvents(model: EventModel): Gatherer<EventPosition, EventPage> {
	const read = async ({ account_id, after }: EventPosition): Promise<EventPage> => {
		try {
			return await readEvents(model, { account_id, after, limit: PAGE });
		} catch (error) {
			if (!isError(error, 'events_expired')) throw error;
			return readEvents(model, { account_id, after: 0, limit: PAGE });
		}
	};
	return new Gatherer(
		async (positions) => {
			const reads = new Map<AccountKey, Promise<EventPage | Error>>();
			return Promise.all(
				positions.map((position) => {
					const key = accountKey(position, position.after);
					const shared = reads.get(key) ?? read(position).catch((error: Error) => error);
					reads.set(key, shared);
					return shared;
				}),
			);
		},
		{ maxBatch: AT_ONCE },
	);
}
