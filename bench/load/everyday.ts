import { bookings } from './bookings.ts';
import type { EverydayRecipe, Request, Requests } from './recipes.ts';

/** Bookings that are remembered, to be read, changed, deleted */
const REMEMBERED = 500;

type Kind = 'read' | 'list' | 'service' | 'availability' | 'book' | 'retry' | 'confirm' | 'cancel' | 'delete';

/** Of 100 requests; in the order of a shuffled deck, so that each hundred has the same mix */
const SHARES: Record<Kind, number> = {
	read: 38,
	list: 12,
	service: 5,
	availability: 5,
	book: 18,
	retry: 4,
	confirm: 6,
	cancel: 4,
	delete: 8,
};
/** Coprime to 100, so that its multiples visit every card */
const STRIDE = 37;
const deck = (Object.keys(SHARES) as Kind[]).flatMap((kind) => Array<Kind>(SHARES[kind]).fill(kind));

/** A mix of everything, over the bookings that it makes itself. */
export function everyday(recipe: EverydayRecipe): Requests {
	const create = bookings(recipe);
	const known: number[] = [];
	const creating = new Map<number, Request>();
	const recent: Request[] = [];
	let made = 0;
	const one = (n: number) => known[(n * STRIDE) % known.length]!;

	const book = (n: number): Request => {
		const request = { ...create.next(made++), idempotencyKey: `"${recipe.tag}-${made}"` };
		creating.set(n, request);
		return request;
	};
	const requests: Record<Kind, (n: number) => Request> = {
		book,
		read: (n) => ({ method: 'GET', path: `/v1/bookings/${one(n)}` }),
		list: (n) => ({
			method: 'GET',
			path: `/v1/bookings?service_id=${recipe.service}&page=${1 + (n % 5)}&page_size=20`,
		}),
		service: () => ({ method: 'GET', path: `/v1/services/${recipe.service}` }),
		availability: () => ({
			method: 'GET',
			path: `/v1/services/${recipe.service}/availability?from=${recipe.firstDate}&to=${recipe.firstDate}`,
		}),
		retry: (n) => recent[n % recent.length] ?? book(n),
		confirm: (n) => ({ method: 'PATCH', path: `/v1/bookings/${one(n)}`, body: '{"status":"confirmed"}' }),
		cancel: (n) => ({
			method: 'PATCH',
			path: `/v1/bookings/${one(n)}`,
			body: '{"status":"cancelled","cancel_reason":"Caught a cold"}',
		}),
		delete: () => ({ method: 'DELETE', path: `/v1/bookings/${known.shift()}` }),
	};
	return {
		next(n) {
			const kind = deck[(n * STRIDE) % deck.length]!;
			return known.length < 10 ? book(n) : requests[kind](n);
		},
		answered(n, status, body) {
			const request = creating.get(n);
			if (request === undefined) return;
			creating.delete(n);
			if (status !== 201) return;
			known.push(Number(/"id":(\d+)/.exec(body)?.[1]));
			if (known.length > REMEMBERED) known.shift();
			recent.push(request);
			if (recent.length > REMEMBERED) recent.shift();
		},
	};
}
