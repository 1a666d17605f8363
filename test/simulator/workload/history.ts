import type { HttpAnswer } from '../clients/http-connection.ts';

export interface Operation {
	/** Its place in the history, by the moment of its call */
	id: number;
	client: string;
	/** Number of the account whose key it carries */
	account: number;
	method: string;
	path: string;
	query?: Record<string, string | number>;
	headers?: Record<string, string>;
	body?: Record<string, unknown>;
	/** A text that no other operation writes: where it is seen, this one had an effect */
	mark?: string;
	/** What it names that is another account's */
	foreign?: string;
	/** ms of the world's clock */
	began: number;
	ended?: number;
	/** Undefined: nobody knows */
	answer?: HttpAnswer;
}

/** What clients asked for and were told. All judgement rests on this. */
export class History {
	readonly operations: Operation[] = [];

	begin(operation: Omit<Operation, 'id'>): Operation {
		const begun = { id: this.operations.length, ...operation };
		this.operations.push(begun);
		return begun;
	}

	/** The same for the same seed, byte for byte. */
	text(): string {
		return this.operations
			.map(({ answer, ...operation }) => {
				const { date: _date, ...headers } = answer?.headers ?? {}; // Node's own clock
				return JSON.stringify({ ...operation, answer: answer && { ...answer, headers } });
			})
			.join('\n');
	}
}

export function dataOf<T>(operation: Operation): T | undefined {
	return (operation.answer?.body as { data?: T } | undefined)?.data;
}

export function errorOf(operation: Operation): unknown {
	return (operation.answer?.body as { error?: unknown } | undefined)?.error;
}

/** Requests to delete one's own things, by path: those that may have done so. */
export function deletionsOf({ operations }: History): Map<string, Operation[]> {
	const deletions = operations.filter(({ method, foreign }) => method === 'DELETE' && foreign === undefined);
	return Map.groupBy(deletions, ({ path }) => path);
}

/** Made for sure, made not for sure, or unknown. */
export function outcome({ answer }: Operation): 'done' | 'refused' | 'unknown' {
	if (answer === undefined || answer.status >= 500) return 'unknown';
	return answer.status < 300 ? 'done' : 'refused';
}

export function describe(operation: Operation): string {
	const { client, method, path, query, body, headers, answer, began, ended } = operation;
	const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : '';
	const told = answer === undefined ? 'nobody answered' : `${answer.status} ${shorten(JSON.stringify(answer.body))}`;
	const sent = body ? ` ${shorten(JSON.stringify(body))}` : '';
	const more = headers && Object.keys(headers).length > 0 ? ` ${JSON.stringify(headers)}` : '';
	const time = `${(began / 1000).toFixed(4)}–${ended === undefined ? '…' : (ended / 1000).toFixed(4)} s`;
	return `${time} ${client}: ${method} ${path}${search}${sent}${more} → ${told}`;
}

function shorten(text = ''): string {
	return text.length > 220 ? `${text.slice(0, 217)}…` : text;
}
