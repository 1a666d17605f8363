import { ApiError } from '../../../shared/contract/errors.ts';
import type { Reading } from '../../../shared/work/reading.ts';

/**
 * Waits at the end of a line until somebody takes the first one out of it and calls it.
 * @param patience ms
 * @param reading of the request that waits, where it only reads
 * @param onLeave is called when it leaves before its turn, with the error that it gets
 * @throws service_unavailable where its patience ended, gateway_timeout where its client has gone
 */
export function standInLine(
	line: (() => void)[],
	patience: number,
	reading: Pick<Reading, 'onEnd'> | undefined,
	onLeave: (error: ApiError) => void = () => {},
): Promise<void> {
	return new Promise((resolve, reject) => {
		const leave = (error: ApiError) => {
			clearTimeout(timer);
			const at = line.indexOf(begin);
			if (at === -1) return; // its turn came before
			line.splice(at, 1);
			onLeave(error);
			reject(error);
		};
		const timer = setTimeout(() => leave(new ApiError('service_unavailable')), patience);
		const begin = () => {
			clearTimeout(timer);
			resolve();
		};
		line.push(begin);
		reading?.onEnd(() => leave(new ApiError('gateway_timeout')));
	});
}
