import { createHook } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceBroker } from 'moleculer';
import { Pipeline } from '../../../services/gateway/pipeline/pipeline.ts';

/**
 * Loaded into a process of the product before its own code. A request with the id `die.<services>.<n>…` kills the process
 * of these services (`all`: the embedded one) at the n-th moment of the request, with SIGKILL, so nothing is cleaned up.
 *
 * A moment is the beginning or the end of any piece of code that runs after something was awaited: the continuation of a
 * promise, a timer, an immediate, a socket's or a file's callback, whosever they are. Between two moments code runs without
 * a break. At a beginning, what was awaited is done and nobody has taken note of it; at an end, what comes next has been
 * sent, to the store, the bus or a socket, and nothing of it has been answered. They are counted from the request's headers
 * (or, behind the gateway, its message) to the process' end, so moments after the answer can be named too.
 *
 * `die.<services>.0…` kills nobody: how many moments there were until the answer is printed.
 */
let target = 0;
let moments = 0;

const pass = () => {
	moments++;
	if (moments === target) process.kill(process.pid, 'SIGKILL');
};
const hook = createHook({ before: pass, after: pass });

/** @returns how to tell that the request was answered; undefined where it is none of ours */
function arm(id: unknown): (() => void) | undefined {
	const [word, services, moment] = String(id).split('.');
	if (word !== 'die' || services !== (process.env.SERVICES ?? 'all')) return undefined;
	[target, moments] = [Number(moment), 0];
	hook.enable();
	return () => {
		if (target > 0) return;
		hook.disable();
		process.stdout.write(`${JSON.stringify({ msg: 'moments', request: id, moments })}\n`);
	};
}

const { handle } = Pipeline.prototype;

Pipeline.prototype.handle = function counted(request: IncomingMessage, response: ServerResponse): void {
	const answered = arm(request.headers['x-request-id']);
	if (answered) response.once('finish', answered);
	handle.call(this, request, response);
};

interface Requests {
	requestHandler(payload: { requestID: unknown; action: string }): Promise<unknown>;
}

/** What the gateway tells behind an answer may reach the other process: then both would die of one request. */
const AFTERWARDS = 'booking.deletionAnswered';

const { start } = ServiceBroker.prototype;

ServiceBroker.prototype.start = function counted(this: ServiceBroker): Promise<void> {
	const transit = this.transit as unknown as Requests | null;
	if (transit) {
		const handler = transit.requestHandler;
		transit.requestHandler = function counting(payload) {
			const answered = payload.action === AFTERWARDS ? undefined : arm(payload.requestID);
			return handler.call(this, payload).finally(() => answered?.());
		};
	}
	return start.call(this);
};
