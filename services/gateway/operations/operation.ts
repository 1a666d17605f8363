import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ActionName, Idempotency, IfMatch, Params, Result, Scope } from '../../../shared/contract/actions.ts';
import type { ErrorType } from '../../../shared/contract/errors.ts';
import type { Faults } from '../validation/faults.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Tag = 'Services' | 'Time slots' | 'Bookings' | 'Customers' | 'Events' | 'Webhooks' | 'Usage';

/**
 * One operation of the API: an entry of the table. The routes, the validation, 404, 405 and `Allow`, the OpenAPI
 * document and the test matrices come from these entries; adding an operation is adding one.
 */
export interface Operation<Path = unknown, Query = unknown, Body = unknown> {
	/** Its `operationId` */
	id: string;
	method: Method;
	/** Such as `/v1/bookings/{bookingID}`; the names in braces are those of `parameters.path` */
	path: string;
	/** The action that does the work */
	action: ActionName;
	/** What the key must be allowed to do */
	scope: Scope;
	/**
	 * Name of a rate bucket that the operation has beside the account's, of half the plan's rate and burst (contract §7);
	 * where it is empty the answer is booking_rate_limit_exceeded
	 */
	ownBucket?: string;
	/**
	 * Whether one request can cost as much as thousands: the rows that it reads or computes are counted against a bucket of
	 * the account's own for work, and where that is empty the answer is rate_limit_exceeded
	 */
	highResource?: true;
	/** Whether it changes nothing */
	readsOnly: boolean;
	/** What it answers, with 200, where its query has `dry_run=true`; absent where it takes no `dry_run` (`dry-run.ts`) */
	dryRun?: { schema: TSchema; description: string; example: unknown };
	tag: Tag;
	summary: string;
	description: string;
	parameters: { path: TObject; query: TObject };
	/** An optional parameter of the query without which a request is refused all the same: the reference fills it in */
	sample?: string;
	/** Absent where the operation takes no body: it then ignores body and Content-Type. */
	body?: BodyRules;
	answer: { status: 200 | 201 | 202; schema: TSchema; description: string; example: unknown };
	/** What can go wrong beyond what can go wrong with every operation (see openapi/errors.ts) */
	errors: readonly ErrorType[];
	headers: HeaderRules;
	/** ms that this request may take beyond the usual deadline */
	patience?(query: Query): number;
	/** Adds the faults that concern several fields; called where each field alone is well formed. */
	check?(request: ValidRequest<Path, Query, Body>, faults: Faults): void;
	run(request: OperationRequest<Path, Query, Body>): Promise<Outcome>;
}

export interface BodyRules {
	schema: TObject;
	/** The resource: fields that it has and `schema` does not take are ignored, or compared. */
	resource: TObject;
	/** Whether they are handed on as `readOnly`, to be what is there */
	compared?: true;
	/** Bytes */
	limit: number;
	example: unknown;
}

/** Which conditional and idempotency headers apply. */
export interface HeaderRules {
	/** The answer carries `ETag: "<version>"`. */
	etag?: true;
	ifMatch?: true;
	ifNoneMatch?: true;
	idempotencyKey?: true;
	/** The answer carries `Location`. */
	location?: true;
}

export interface ValidRequest<Path, Query, Body> {
	path: Path;
	query: Query;
	body: Body;
	/** Fields of the body that the operation does not take, where they are compared */
	readOnly: Record<string, unknown>;
}

export interface OperationRequest<Path, Query, Body> extends ValidRequest<Path, Query, Body> {
	ifMatch: IfMatch | undefined;
	idempotency: Idempotency | undefined;
	/** Whether it may use the patience that it asked for: an account has only so many requests that wait. */
	mayWait: boolean;
	/** Whether the gateway is about to end: a long poll then answers with what there is. */
	isStopping(): boolean;
	/** What the key may do */
	scopes: readonly Scope[];
	/** Writes down how many requests this gateway has let through, this one included. */
	recordRequests(): Promise<void>;
	/** Calls an action for the account of the key; no operation can name another one. */
	call<K extends ActionName>(action: K, params: Omit<Params<K>, 'account_id'>): Promise<Result<K>>;
}

export interface Outcome {
	/**
	 * Where its first property is an async iterable, that is a list in pieces: it is written as they come, and never in memory
	 * whole. The other properties are read after the last piece.
	 */
	data: unknown;
	/** Writes some rows of that list, with commas between them, byte for byte as JSON.stringify does, but faster */
	rowsText?(rows: readonly unknown[]): string;
	/** The resource's version, for `ETag` */
	version?: number;
	/** Path of a new resource, for `Location` */
	location?: string;
	/** Whether this is the first answer of an Idempotency-Key */
	replayed?: boolean;
	/** Called once the answer was handed to the client's connection, whole. */
	sent?(): Promise<unknown>;
}

export const KIB = 1024;
export const BODY_LIMIT = 64 * KIB;
/** Of the operations that take hundreds of time slots */
export const LARGE_BODY_LIMIT = 256 * KIB;

const none = Type.Object({});

type Definition<P extends TObject, Q extends TObject, B extends TObject> = Omit<
	Operation<Static<P>, Static<Q>, Static<B>>,
	'parameters' | 'body' | 'readsOnly'
> & {
	parameters?: { path?: P; query?: Q };
	body?: Omit<BodyRules, 'schema' | 'limit'> & { schema: B; limit?: number };
};

/** An entry of the table, whose `run` sees the types that its schemas describe. */
export function operation<P extends TObject, Q extends TObject, B extends TObject>(
	definition: Definition<P, Q, B>,
): Operation {
	const { parameters, body, ...rest } = definition;
	return {
		...rest,
		readsOnly: rest.method === 'GET',
		parameters: { path: parameters?.path ?? none, query: parameters?.query ?? none },
		...(body && { body: { limit: BODY_LIMIT, ...body } }),
	} as Operation;
}
