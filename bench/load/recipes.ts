import { bookings } from './bookings.ts';
import { everyday } from './everyday.ts';

/** What a load asks for, as data: the generator is another process. */
export type Recipe =
	/** The same request every time */
	| { kind: 'same'; method: 'GET' | 'POST'; path: string; body?: string }
	/** GET of `path` and each of `count` ids from `first` on, one far from the other */
	| { kind: 'ids'; path: string; first: number; count: number }
	| BookingsRecipe
	| EverydayRecipe;

/** A booking after the other, each by a customer of its own. */
export interface BookingsRecipe {
	kind: 'bookings';
	path: string;
	slots: readonly number[];
	/** A date that falls on all the slots */
	firstDate: string;
	/** Dates, a week apart, over which bookings are spread at a time; 1 with one slot is a hot slot */
	weeks: number;
	/** Bookings of a slot and date before the next `weeks` follow */
	perPlace: number;
	/** Makes the customers different from those of other recipes */
	tag: string;
}

/** What a provider's software does in a day: mostly reads, then bookings, changes, deletions, and retries. */
export interface EverydayRecipe extends Omit<BookingsRecipe, 'kind'> {
	kind: 'everyday';
	service: number;
}

export interface Request {
	method: string;
	path: string;
	body?: string;
	idempotencyKey?: string;
}

/** Makes the requests of a load, and is told of the answers where it wants to know. */
export interface Requests {
	next(n: number): Request;
	answered?(n: number, status: number, body: string): void;
}

/** The same, as bytes to send. */
export function requestsOf(recipe: Recipe, url: string, key: string | undefined) {
	const requests = make(recipe);
	const { host } = new URL(url);
	const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
	const common = ` HTTP/1.1\r\nHost: ${host}\r\n${authorization}`;
	return {
		...requests,
		next(n: number): string {
			const { method, path, body, idempotencyKey } = requests.next(n);
			const head = `${method} ${path}${common}`;
			if (body === undefined) return `${head}\r\n`;
			const retry = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
			const length = Buffer.byteLength(body);
			return `${head}${retry}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
		},
	};
}

/** A prime: its multiples visit every id of a store of 1,000 or 1,000,000. */
const STRIDE = 7_919;

function make(recipe: Recipe): Requests {
	switch (recipe.kind) {
		case 'same':
			return { next: () => recipe };
		case 'ids':
			return {
				next: (n) => ({ method: 'GET', path: `${recipe.path}${recipe.first + ((n * STRIDE) % recipe.count)}` }),
			};
		case 'bookings':
			return bookings(recipe);
		case 'everyday':
			return everyday(recipe);
	}
}
