import type { Deadline } from '../../shared/deadline.ts';
import { ApiError } from '../../shared/errors.ts';

/** Long answers of an account that are made at once: each takes some megabytes until it is text, whoever reads it */
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

	/** @throws service_unavailable where half of its time has passed before its turn */
	async run<T>(account: string, deadline: Deadline, make: () => Promise<T>): Promise<T> {
		const line = this.#lines.get(account) ?? { working: 0, waiting: [] };
		this.#lines.set(account, line);
		if (line.working >= AT_ONCE) await this.#turn(line, deadline);
		else line.working++;
		try {
			return await make();
		} finally {
			const next = line.waiting.shift();
			if (next !== undefined) next();
			else if (--line.working === 0) this.#lines.delete(account);
		}
	}

	/** Resolves with the place of one that has ended. */
	#turn(line: Line, deadline: Deadline): Promise<void> {
		return new Promise((resolve, reject) => {
			const giveUp = () => {
				line.waiting.splice(line.waiting.indexOf(begin), 1);
				reject(new ApiError('service_unavailable'));
			};
			const timer = setTimeout(giveUp, deadline.remaining() / 2);
			const begin = () => {
				clearTimeout(timer);
				resolve();
			};
			line.waiting.push(begin);
		});
	}
}
