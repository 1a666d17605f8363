import { ApiError } from '../../../shared/contract/errors.ts';
import type { Reading } from '../../../shared/work/reading.ts';

/**
 * Waits at the end of a line until somebody takes the first one out of it and calls it.
 * @param patience ms; none, or less, where its time has passed while the process stood still
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
		const timer = setTimeout(() => leave(new ApiError('service_unavailable')), Math.max(0, patience));
		const begin = () => {
			clearTimeout(timer);
			resolve();
		};
		line.push(begin);
		reading?.onEnd(() => leave(new ApiError('gateway_timeout')));
	});
}

/** Long answers of an account that are made at once: until it is text, each one takes some megabytes */
const AT_ONCE = 2;
/** Rows from which on a page is long */
const LONG_PAGE = 100;

interface Line {
	working: number;
	/** In order of arrival */
	waiting: (() => void)[];
}

/** What of a query tells how many rows it asks for */
interface Extent {
	page_size?: number;
	no_pagination?: boolean;
	service_ids?: readonly number[];
}

/** Whether a request asks for so many rows that its answer takes memory while it is made. */
export function isLong(query: unknown): boolean {
	const { page_size = 0, no_pagination = false, service_ids = [] } = query as Extent;
	return page_size > LONG_PAGE || no_pagination || service_ids.length > 1;
}

/** Makes few long answers of an account at once; the others wait, and cost nothing meanwhile. */
export class LongAnswers {
	readonly #lines = new Map<string, Line>();

	/**
	 * @param idle what to do while it waits
	 * @throws service_unavailable where half of its time has passed before its turn, gateway_timeout where its client has gone
	 */
	async run<T>(
		account: string,
		reading: Pick<Reading, 'remaining' | 'onEnd'>,
		make: () => Promise<T>,
		idle: (turn: Promise<void>) => Promise<void> = (turn) => turn,
	): Promise<T> {
		const line = this.#lines.get(account) ?? { working: 0, waiting: [] };
		this.#lines.set(account, line);
		if (line.working >= AT_ONCE) await idle(standInLine(line.waiting, reading.remaining() / 2, reading));
		else line.working++;
		try {
			return await make();
		} finally {
			const next = line.waiting.shift();
			if (next !== undefined) next();
			else if (--line.working === 0) this.#lines.delete(account);
		}
	}

	/** Accounts of which long answers are made or wait */
	get accounts(): number {
		return this.#lines.size;
	}

	/** Long answers of an account that wait */
	waiting(account: string): number {
		return this.#lines.get(account)?.waiting.length ?? 0;
	}
}
