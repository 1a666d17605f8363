import type { Params } from '../../../shared/contract/actions.ts';
import { isError } from '../../../shared/contract/errors.ts';
import type { EventReport } from '../../../shared/contract/webhook-reports.ts';
import type { EventModel } from './event.model.ts';
import { newestSequence } from './event-log.ts';
import { readEvents } from './read-events.ts';

/** The last events of an account's log, oldest first, for operators: without the customers that they name. */
export async function tailEvents(
	model: EventModel,
	{ account_id, limit }: Params<'notifications.tailEvents'>,
): Promise<EventReport[]> {
	const after = Math.max(0, (await newestSequence(model, account_id)) - limit);
	const { events } = await readEvents(model, { account_id, after, limit }).catch((error: unknown) => {
		if (!isError(error, 'events_expired')) throw error;
		return readEvents(model, { account_id, after: 0, limit });
	});
	return events.map(({ sequence, id, type, timestamp, data }) => ({
		sequence,
		id,
		type,
		timestamp,
		booking_id: data.id,
	}));
}
