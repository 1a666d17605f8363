import type { Reading } from '../../../shared/work/reading.ts';
import { standInLine } from './stand-in-line.ts';

/** Long answers of an account that are made at once: until it is text, each one takes some megabytes */
const AT_ONCE = 4;
/** Rows from which on a page is long */
const LONG_PAGE = 100;

interface Line {
	working: number;
	/** In order of arrival */
	waiting: (() => void)[];
}

/** Whether a request asks for so many rows that its answer takes memory while it is made. */
export function isLong(query: unknown): boolean {
	const { page_size = 0, no_pagination = false } = query as { page_size?: number; no_pagination?: boolean };
	return page_size > LONG_PAGE || no_pagination;
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
