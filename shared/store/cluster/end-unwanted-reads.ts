import { mongo } from 'mongoose';
import { ApiError } from '../../contract/errors.ts';
import { Reading } from '../../work/reading.ts';
import { driverConnection } from './fail-writes-on-close.ts';

/** The driver's commands that read, and take `maxTimeMS`; a `find` is answered at once, so there is no `getMore`. */
const READS = new Set(['find', 'aggregate', 'count', 'distinct']);
/** MongoDB's code of a command that took longer than its `maxTimeMS` */
const TOOK_TOO_LONG = 50;
/** ms that the answer of a read that nobody waits for has: most are there by then, and to lose a connection is dear */
const GRACE = 25;

let patched = false;

/**
 * A read of a request ends when nobody waits for it any more. Its command tells the server what is left of its deadline
 * when it leaves, so the server stops it then. Where the client has gone, its connection is closed, which makes MongoDB
 * stop what it does for it; a server that does not look at that goes on until the deadline, but keeps nobody here.
 */
export function endUnwantedReads(): void {
	if (patched) return;
	patched = true;
	const { prototype } = driverConnection();
	const { command } = prototype;
	prototype.command = function (...args) {
		const reading = Reading.current();
		const asked = args[1] as Record<string, unknown>;
		if (reading === undefined || !READS.has(Object.keys(asked)[0]!)) return command.apply(this, args);
		const left = reading.remaining();
		if (left <= 0) return Promise.reject(new ApiError('gateway_timeout'));
		const [namespace, , ...others] = args;
		const limited = Number.isFinite(left) ? { ...asked, maxTimeMS: Math.ceil(left) } : asked;
		const answer = command.call(this, namespace, limited, ...others);
		let isThere = false;
		const cut = () => isThere || this.onError(new ApiError('gateway_timeout'));
		reading.onEnd(() => isThere || setTimeout(cut, GRACE));
		return answer
			.catch((error) => {
				const isLate = error instanceof mongo.MongoServerError && error.code === TOOK_TOO_LONG;
				throw isLate ? new ApiError('gateway_timeout') : error;
			})
			.finally(() => {
				isThere = true;
			});
	};
}
