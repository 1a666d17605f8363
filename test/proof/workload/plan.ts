import { Random } from '../random.ts';

/** How often clients do what. */
const WEIGHTS = {
	create: 30,
	'create again': 5,
	'create twice at once': 2,
	confirm: 6,
	cancel: 8,
	'take back': 8,
	move: 10,
	note: 5,
	customer: 6,
	delete: 8,
	get: 5,
	list: 1,
	availability: 2,
	feed: 1,
	slots: 1,
	trespass: 20,
};
export type Action = keyof typeof WEIGHTS | 'maximum' | 'replace service';

/** One step of a client. It names things by number; which slot or booking that is shows when it is taken. */
export interface Step {
	action: Action;
	/** ms after the step before it began */
	pause: number;
	/** Each from 0 to 1 */
	slot: number;
	booking: number;
	/** 0 or 1: this Monday or the next one */
	week: 0 | 1;
	/** One of a few customers who come again and again; null: somebody new */
	regular: number | null;
	/** Somebody new without address and number, whom nobody can tell from others */
	anonymous: boolean;
	keyed: boolean;
	/** A maximum, 0 to 6 */
	max: number;
	/** In texts, so that no two requests are alike */
	text: string;
}

export interface PlanOptions {
	seed: number;
	/** Mean ms between two steps of a client */
	pace: number;
}

/** What a client does, for ever. The same seed and client give the same plan. */
export function* planOf(client: number, { seed, pace }: PlanOptions): Generator<Step, never> {
	const random = new Random(seed).fork(client);
	const maxima = client === 0 ? { maximum: 25, 'replace service': 4 } : { maximum: 0, 'replace service': 0 };
	const weights: Record<Action, number> = { ...WEIGHTS, ...maxima };
	for (let step = 1; ; step++) {
		yield {
			action: random.weighted(weights),
			pause: 2 * pace * random.next(),
			slot: random.next() ** 2, // the first ones are hot
			booking: random.next(),
			week: random.chance(0.6) ? 0 : 1,
			regular: random.chance(0.4) ? random.index(6) : null,
			anonymous: random.chance(0.5),
			keyed: random.chance(0.5),
			max: random.index(7),
			text: `${client}.${step}`,
		};
	}
}
