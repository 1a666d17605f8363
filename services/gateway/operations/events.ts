import type { Params } from '../../../shared/contract/actions.ts';
import { EventList, EventType } from '../../../shared/contract/schemas/event.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { eventExample } from './examples.ts';
import { type Operation, type OperationRequest, operation } from './operation.ts';

const MAX_WAIT = 30; // s
/** s that one call of a long poll waits: neither a stop nor a lost process holds a request for longer */
const WAIT_A_CALL = 5;
const DEFAULT_LIMIT = 100;

/** In the order of the reference. */
export const eventsOperations: readonly Operation[] = [
	operation({
		id: 'listEvents',
		method: 'GET',
		path: '/v1/events',
		action: 'notifications.listEvents',
		scope: 'read',
		highResource: true,
		tag: 'Events',
		summary: 'List events',
		description:
			"The account's events after a sequence number, oldest first. With `wait`, an answer without events waits for " +
			'one. Go on with `next_after`: it moves on also where no event was asked for. Events are kept for 30 days. Who was ' +
			'away for longer, or has an `after` beyond the end, as after an older backup was restored, is told by 410: read the ' +
			'bookings anew, then go on with 0.',
		parameters: {
			query: Type.Object({
				after: Type.Optional(
					Type.Integer({
						minimum: 0,
						maximum: Number.MAX_SAFE_INTEGER,
						description: '`next_after` of the last answer; 0 starts at the oldest event kept',
						examples: [0],
					}),
				),
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: '100 where it is left out' })),
				types: Type.Optional(
					Type.Array(EventType, { minItems: 1, maxItems: 6, description: 'Only these, separated by commas' }),
				),
				booking_id: Type.Optional(Id('Only of this booking')),
				wait: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT, description: 's to wait for an event' })),
			}),
		},
		answer: {
			status: 200,
			schema: EventList,
			description: 'Events, whether there are more, and where to go on',
			example: { events: [eventExample], has_more: false, next_after: eventExample.sequence },
		},
		errors: ['events_expired'],
		headers: {},
		patience: ({ wait = 0 }) => wait * 1000,
		async run({ query, call, mayWait, isStopping }) {
			const { after = 0, limit = DEFAULT_LIMIT, types, booking_id } = query;
			const wait = mayWait ? (query.wait ?? 0) : 0;
			const first = await firstEvents(call, { after, limit, types, booking_id, wait }, isStopping);
			return { data: eventList(call, first, { limit, types, booking_id }) };
		},
	}),
];

type Request = OperationRequest<unknown, unknown, unknown>;
type Asked = Omit<Params<'notifications.listEvents'>, 'account_id'> & { wait: number };

/** The events that are asked for, in pieces: an answer on the bus has as many as one message carries. */
function eventList(call: Request['call'], first: EventList, { limit, ...asked }: Omit<Asked, 'after' | 'wait'>) {
	let last = first;
	async function* events() {
		yield last.events;
		for (let left = limit - last.events.length; left > 0; left -= last.events.length) {
			if (!last.has_more || last.events.length === 0) return;
			last = await call('notifications.listEvents', { ...asked, after: last.next_after, limit: left });
			yield last.events;
		}
	}
	return {
		events: events(),
		get has_more() {
			return last.has_more;
		},
		get next_after() {
			return last.next_after;
		},
	};
}

/** The first events there are; waits for one in short calls. */
async function firstEvents(call: Request['call'], { wait, ...asked }: Asked, isStopping: () => boolean) {
	let left = wait;
	for (let { after } = asked; ; ) {
		const slice = Math.min(left, WAIT_A_CALL);
		const waiting = slice > 0 && { wait: slice };
		const list: EventList = await call('notifications.listEvents', { ...asked, after, ...waiting });
		left -= slice;
		if (list.events.length > 0 || left <= 0 || isStopping()) return list;
		after = list.next_after;
	}
}
