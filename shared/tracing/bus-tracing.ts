import type { ActionHandler, ActionSchema, CallMiddlewareHandler, Context, Middleware } from 'moleculer';
import type { Config } from '../config/config.ts';
import { noteError } from './note-error.ts';
import { traceparentOf } from './traceparent.ts';
import type { Tracing } from './tracing.ts';

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
