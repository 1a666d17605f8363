import type { Operation } from '../../services/gateway/operations/operation.ts';
import type { World } from './world.ts';

type Kind = keyof World['ids'];

/** A place in the requests of an operation where an id of something goes. */
export interface IdInput {
	/** Such as `createBooking body.time_slot_id` */
	name: string;
	operation: Operation;
	where: 'path' | 'query' | 'body';
	/** Names and `[]` from the root of the path, query or body */
	steps: string[];
	kind: Kind;
}

interface Schema {
	properties?: Record<string, Schema>;
	items?: Schema;
	anyOf?: Schema[];
}

const KINDS: Record<string, Kind> = {
	serviceID: 'service',
	service_id: 'service',
	service_ids: 'service',
	bookingID: 'booking',
	booking_id: 'booking',
	time_slot_id: 'slot',
	overrideID: 'override',
	feedID: 'feed',
	webhookID: 'webhook',
	deliveryID: 'delivery',
	'time_slots[].id': 'slot',
};

/** Of parameters of which one has to be there, one that can be */
export const NARROWING: Record<string, string[]> = {
	listBookings: ['service_id'],
	exportCustomer: ['email'],
};

/** Every id that the schemas of an operation take. A name that looks like an id and is not known here throws. */
export function idInputs(operation: Operation): IdInput[] {
	const { path, query } = operation.parameters;
	return [
		...walk(operation, 'path', path as Schema, []),
		...walk(operation, 'query', query as Schema, []),
		...(operation.body ? walk(operation, 'body', operation.body.schema as Schema, []) : []),
	];
}

function walk(operation: Operation, where: IdInput['where'], schema: Schema, steps: string[]): IdInput[] {
	const found = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
		const here = [...steps, name];
		return [...inputAt(operation, where, here), ...walk(operation, where, property, here)];
	});
	const nested = (schema.anyOf ?? []).flatMap((one) => walk(operation, where, one, steps));
	const items = schema.items ? walk(operation, where, schema.items, [...steps, '[]']) : [];
	return [...found, ...nested, ...items];
}

function inputAt(operation: Operation, where: IdInput['where'], steps: string[]): IdInput[] {
	const last = steps.at(-1)!;
	if (!/^(id|\w+_ids?|\w+ID)$/.test(last)) return [];
	const field = steps.join('.').replaceAll('.[]', '[]');
	const kind = KINDS[field] ?? KINDS[last];
	if (kind === undefined) throw new Error(`${operation.id} takes ${field}: tell the tenant matrix what it is`);
	return [{ name: `${operation.id} ${where}.${field}`, operation, where, steps, kind }];
}

/** A valid request of the account of `world`, from the reference's example. */
export function ownRequest(operation: Operation, world: World) {
	const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(world.ids[KINDS[name]!]));
	const body = operation.body && ownBody(operation.body.example, world, []);
	return { method: operation.method, path, query: requiredQuery(operation, world), body };
}

/** A valid request of the account of `world`, but for the id that is given for `input`. */
export function requestFor(input: IdInput, world: World, id: number) {
	const { operation, where, steps } = input;
	const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		return String(where === 'path' && steps[0] === name ? id : world.ids[KINDS[name]!]);
	});
	const query = { ...requiredQuery(operation, world), ...(where === 'query' ? { [steps[0]!]: id } : {}) };
	const body = operation.body && ownBody(operation.body.example, world, []);
	if (where === 'body') setAt(body as Record<string, unknown>, steps, id);
	return { method: operation.method, path, query, body };
}

function requiredQuery(operation: Operation, world: World): Record<string, string | number> {
	const known: Record<string, string | number> = {
		service_id: world.ids.service,
		service_ids: world.ids.service,
		email: 'nobody@example.com',
		page: 1,
		page_size: 10,
		from: world.date,
		to: world.date,
	};
	const { required = [] } = operation.parameters.query as { required?: string[] };
	return Object.fromEntries(
		[...required, ...(NARROWING[operation.id] ?? [])].map((name) => {
			if (!(name in known)) throw new Error(`${operation.id} requires ${name}: tell the tenant matrix what to send`);
			return [name, known[name]!];
		}),
	);
}

/** The example of the reference with the ids and the date of this world. */
function ownBody(example: unknown, world: World, steps: string[]): unknown {
	if (Array.isArray(example)) return example.map((item) => ownBody(item, world, [...steps, '[]']));
	if (typeof example === 'object' && example !== null) {
		return Object.fromEntries(
			Object.entries(example).map(([name, value]) => [name, ownBody(value, world, [...steps, name])]),
		);
	}
	const field = steps.join('.').replaceAll('.[]', '[]');
	const kind = KINDS[field] ?? KINDS[steps.at(-1)!];
	if (kind !== undefined) return world.ids[kind];
	return steps.at(-1) === 'date' ? world.date : example;
}

function setAt(target: Record<string, unknown>, steps: string[], id: number): void {
	let at = target;
	for (const step of steps.slice(0, -1)) at = (step === '[]' ? (at as unknown as unknown[])[0] : at[step]) as typeof at;
	at[steps.at(-1)!] = id;
}
