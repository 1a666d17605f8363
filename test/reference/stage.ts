import type { Operation } from '../../services/gateway/operations/operation.ts';
import type { Answer, Client, RequestOptions } from '../support/http-client.ts';
import { ownRequest } from '../support/id-inputs.ts';
import { sharedOperator } from '../support/operator.ts';
import { newAccount } from '../support/shared-product.ts';
import { settleWorld, type World } from '../support/world.ts';
import { stalledBody } from './stalled-body.ts';

/** An operation, and an account that has one of each thing. */
export interface Stage {
	operation: Operation;
	client: Client;
	world: World;
}

/** What takes its time: all tests share it. Keys cost an operator's command each. */
export interface Prepared {
	reader: Client;
	writer: Client;
	suspended: Client;
	/** By operation: the answer to a body that never comes to its end */
	stalled: Map<string, Promise<Answer>>;
	/** Its booking is held for a minute from now on */
	held: Stage;
}

export async function prepare(operations: readonly Operation[]): Promise<Prepared> {
	const withBody = operations.filter(({ body }) => body !== undefined);
	const stalled = new Map(withBody.map((operation) => [operation.id, stalledBody(operation, newAccount())]));
	const operator = sharedOperator();
	const [limited, suspended] = await Promise.all([operator.createAccount(), operator.createAccount()]);
	const [read, write, late] = await Promise.all([
		operator.createKey(limited.id, '--scopes', 'read'),
		operator.createKey(limited.id, '--scopes', 'write'),
		operator.createKey(suspended.id),
	]);
	await operator.ask('accounts', 'suspend', suspended.id);
	const held = await setStage(operations.find(({ id }) => id === 'updateBooking')!);
	(await held.client.patch(`/v1/bookings/${held.world.ids.booking}`, { hold_minutes: 1 })).mustBe(200);
	return { reader: read.client, writer: write.client, suspended: late.client, stalled, held };
}

export async function setStage(operation: Operation): Promise<Stage> {
	const client = newAccount();
	return { operation, client, world: await settleWorld(client) };
}

/** Sends the reference's example for this account's own things; `changes` wins over it, its query and body by field. */
export function perform({ operation, client, world }: Stage, changes: RequestOptions = {}): Promise<Answer> {
	const { method, path, query, body } = ownRequest(operation, world);
	return client.request(method, path, {
		...changes,
		query: { ...query, ...changes.query },
		...(body !== undefined && { body: { ...(body as object), ...reachable(body), ...(changes.body as object) } }),
	});
}

/** The example's webhook is a real host's: tests send nothing there. */
function reachable(body: unknown): object {
	return 'url' in (body as object) ? { url: 'http://127.0.0.1:9/' } : {};
}

/** The same without an account's things: for refusals that come before anybody looks for them. */
export function performBare(operation: Operation, client: Client, changes: RequestOptions = {}): Promise<Answer> {
	const path = operation.path.replaceAll(/\{\w+\}/g, '1');
	return client.request(operation.method, path, { ...(operation.body && { body: {} }), ...changes });
}
