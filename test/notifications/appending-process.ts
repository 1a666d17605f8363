import { EventAppender } from '../../services/notifications/log/append-events.ts';
import { EventLog } from '../../services/notifications/log/event-log.ts';
import { EventStore, eventModel } from '../../services/notifications/log/event-store.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { openStore, type StoreOptions } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { newEvent } from './new-events.ts';
import { noLock } from './no-lock.ts';

/**
 * A process that is going to be killed: appends to the accounts `a` and `b` without the lock, and prints each event's id
 * after it was acknowledged. Arguments: the store's options as JSON, and the first booking's id.
 */
const [options, first] = process.argv.slice(2);
const store = await openStore(JSON.parse(options!) as StoreOptions);
const model = eventModel(store.connection);
await prepareModels([model]);
const appender = new EventAppender(new EventLog(new EventStore(model), systemClock), noLock, () => {});

/** Calls of 1 to 9 events; each call brings the previous booking's event again. */
for (let booking = Number(first); ; ) {
	const calls = ['a', 'b', 'a'].map((account, index) => {
		const bookings = Array.from({ length: 1 + ((booking + index) % 9) }, () => booking++);
		return [newEvent(account, bookings[0]!), ...bookings.map((each) => newEvent(account, each))];
	});
	await Promise.all(
		calls.map(async (events) => {
			await appender.append(events, new Deadline(60_000));
			for (const event of events) process.stdout.write(`${event.account_id} ${event.id}\n`);
		}),
	);
}
