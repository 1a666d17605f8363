import type { Attributes } from '@opentelemetry/api';
import type { ActionHandler, ActionSchema, CallMiddlewareHandler, Context, Middleware } from 'moleculer';
import type { Config } from '../config/config.ts';
import type { FairLock, Lease } from '../lock/fair-lock.ts';
import { eachOperation } from '../store/each-operation.ts';
import type { Store } from '../store/store.ts';
import { noteError } from './note-error.ts';
import { type Span, type Tracing, traceparentOf } from './tracing.ts';

/**
 * Spans of calls over the bus: one of who calls, one of who answers, held together by a `traceparent` among the
 * packet's headers. Moleculer hands those to the one action only; its `meta` would come back and go on to others.
 * Embedded, where a call is a call of a function, there is the one of who answers. Parameters and answers stay out.
 */
export function busTracing({ form }: Config, tracing: Tracing): Middleware {
	const call = (next: CallMiddlewareHandler): CallMiddlewareHandler => {
		return (action, params, options) => {
			if (tracing.current() === undefined) return next(action, params, options);
			const span = tracing.start(action, { kind: 'client', attributes: attributesOf(action) });
			const headers = { ...options?.headers, traceparent: traceparentOf(span) };
			const answer = tracing.within(span, () => next(action, params, { ...options, headers }));
			answer.then(
				() => span.end(),
				(error: unknown) => {
					noteError(span, error);
					span.end();
				},
			);
			return answer;
		};
	};

	const localAction = (next: ActionHandler, action: ActionSchema) => {
		const name = action.name!;
		const attributes = attributesOf(name);
		return function traced(this: unknown, context: Context) {
			const run = () => next.call(this as never, context);
			const parent = tracing.remote(context.headers?.traceparent) ?? tracing.current();
			if (parent === undefined) return run();
			const kind = form === 'cluster' ? ({ kind: 'server' } as const) : {};
			return tracing.span(name, { ...kind, attributes, parent }, run);
		};
	};

	// its typing has the hook answer, not return a caller
	return { name: 'BusTracing', localAction, ...(form === 'cluster' && { call }) } as unknown as Middleware;
}

function attributesOf(action: string): Record<string, string> {
	return { 'rpc.system.name': 'moleculer', 'rpc.method': action };
}

/**
 * A span for each operation of the store, named as OpenTelemetry's conventions for databases say. Filters and documents
 * stay out: they are the customers' data. To be called before any model is made.
 */
export function traceStore({ form, connection }: Store, tracing: Tracing): void {
	const client = form === 'cluster' ? ({ kind: 'client' } as const) : {};
	const system = systemOf(form, connection.host, connection.port);
	eachOperation(connection, (collection, operation, run) => {
		if (tracing.current() === undefined) return run();
		const attributes = { ...system, 'db.operation.name': operation, 'db.collection.name': collection };
		return tracing.span(`${operation} ${collection}`, { ...client, attributes }, run);
	});
}

function systemOf(form: Store['form'], host: string, port: number): Attributes {
	if (form === 'embedded') return { 'db.system.name': 'sqlite' };
	return { 'db.system.name': 'mongodb', 'server.address': host, 'server.port': port };
}

/** A lock whose waits and leases are spans, one after the other, of the request that took it. */
export function tracedLock(lock: FairLock, tracing: Tracing): FairLock {
	return {
		stats: lock.stats,
		async acquire(key) {
			if (tracing.current() === undefined) return lock.acquire(key);
			const attributes = { 'slotwise.lock.key': key };
			const lease = await tracing.span('lock wait', { attributes }, async (span) => {
				const granted = await lock.acquire(key);
				span.setAttribute('slotwise.lock.granted', granted !== undefined); // else it goes on without it
				return granted;
			});
			return lease && heldDuring(tracing.start('lock hold', { attributes }), lease);
		},
		inspect: (key) => lock.inspect(key),
		close: () => lock.close(),
	};
}

/** A lease that ends a span when it is given back. */
function heldDuring(span: Span, lease: Lease): Lease {
	let released: Promise<boolean> | undefined;
	const release = async () => {
		const ours = await lease.release();
		span.setAttribute('slotwise.lock.lost', !ours).end();
		return ours;
	};
	return {
		key: lease.key,
		remaining: () => lease.remaining(),
		lasts: (ms) => lease.lasts(ms),
		release() {
			released ??= release();
			return released;
		},
	};
}
