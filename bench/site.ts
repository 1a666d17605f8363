import { addDays } from '../shared/calendar/plain-date.ts';
import type { Service } from '../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../shared/contract/schemas/time-slot.ts';
import { openStore } from '../shared/store/open-store.ts';
import type { Store } from '../shared/store/store.ts';
import { Client } from '../test/support/http-client.ts';
import {
	embeddedDataDir,
	type Form,
	type Product,
	type ProductOptions,
	startProduct,
} from '../test/support/product.ts';
import { FIRST_MONDAY, fill, weeksFilled } from './fill.ts';
import { weeksUsed } from './load/bookings.ts';
import type { BookingsRecipe } from './load/recipes.ts';

/** Slots of the service, all on Mondays */
export const SLOTS = 50;
export const PER_PLACE = 10;
/** Bookings in the first weeks, in every store: what an availability counts is the same, however many follow */
const NEAR = 1_000;
/** Weeks after FIRST_MONDAY: behind every availability that is asked for, 92 days at most */
const FAR_WEEK = 26;
/** Dates that creates are spread over, a week apart: 1,000 occurrences, or 7,000 */
const SPREAD_WEEKS = { spread: 20, wide: 140 };

/** Of 10,000 places, many of which are taken */
type CrowdedKind = 'half full' | 'nearly full';
export type HotKind = 'refusing' | 'accepting' | CrowdedKind;
/** Places of the hot slots, bookings that are there before, and bookings of a date before the next one is asked for */
const HOT: Record<HotKind, { max_bookings: number; filled: number; perPlace: number }> = {
	refusing: { max_bookings: 100, filled: 0, perPlace: 1e9 },
	accepting: { max_bookings: 1_000, filled: 0, perPlace: 500 },
	'half full': { max_bookings: 10_000, filled: 5_000, perPlace: 1_000 },
	'nearly full': { max_bookings: 9_999, filled: 9_000, perPlace: 900 },
};
const CROWDED_KINDS: CrowdedKind[] = ['half full', 'nearly full'];
const TIMEZONE = 'Europe/Berlin';
/** Dates of the crowded slots: behind all others, and enough for the rounds of a run */
const CROWDED = { fromWeek: 3_000, dates: 30 };

/** The product with a service, and bookings in it. */
export interface Site {
	product: Product;
	url: string;
	key: string;
	account: string;
	service: number;
	slots: number[];
	/** Id of the first booking; the others follow it */
	first: number;
	/** Bookings that were there at the start */
	bookings: number;
	/** Of all its processes */
	pids(): number[];
	/** Answer of a GET, parsed */
	get(path: string): Promise<{ data?: unknown }>;
	/** Bookings on dates that are all free, each slot and date with room for `PER_PLACE` */
	spread(kind?: keyof typeof SPREAD_WEEKS): BookingsRecipe;
	/** Bookings of one slot and date. It has 100 places, so most are refused; or so many that none is */
	hot(kind: HotKind): BookingsRecipe;
	/** Dates of a recipe that were used: the next one has others. */
	used(recipe: BookingsRecipe, count: number): void;
	stop(): Promise<void>;
}

/**
 * @param bookings how many there are, at least `NEAR`
 * @param options `crowded`: also those of `hot('half full')` and `hot('nearly full')`
 */
export async function startSite(
	form: Form,
	bookings: number,
	{ crowded = false, ...options }: Pick<ProductOptions, 'counts' | 'env'> & { crowded?: boolean } = {},
): Promise<Site> {
	const product = await startProduct({ form, keys: { Unlimited: 1 }, directLogs: true, ...options });
	try {
		return await settle(product, bookings, crowded);
	} catch (error) {
		await product.stop();
		throw error;
	}
}

async function settle(product: Product, bookings: number, crowded: boolean): Promise<Site> {
	const key = product.keys.Unlimited[0]!;
	const client = new Client(() => product.urls(), key);
	const maxima = [...Array<number>(SLOTS).fill(PER_PLACE), ...Object.values(HOT).map((hot) => hot.max_bookings)];
	const time_slots = maxima.map(slot);
	const body = { name: 'Benchmark', timezone: TIMEZONE, time_slots };
	const { id: service, provider_id: account } = (await client.post<Service>('/v1/services', body)).mustBe(201);
	const all = (await client.get<TimeSlot[]>(`/v1/services/${service}/time-slots`)).mustBe(200);
	const withRoom = (max: number) => all.filter(({ max_bookings }) => max_bookings === max);
	const slotsOf = (max: number) => withRoom(max).map(({ id }) => id);
	const slots = slotsOf(PER_PLACE);
	const of = { account_id: account, service_id: service, timezone: TIMEZONE };
	const plan = { ...of, slots: withRoom(PER_PLACE), perPlace: PER_PLACE };
	const near = Math.min(NEAR, bookings);
	const far = { ...plan, fromWeek: FAR_WEEK, count: bookings - near };
	const first = await fillStore(product, async (store) => {
		const id = await fill(store, { ...plan, fromWeek: 0, count: near });
		if (far.count > 0) await fill(store, far);
		for (const kind of crowded ? CROWDED_KINDS : []) {
			const { max_bookings, filled: perPlace } = HOT[kind];
			const { fromWeek, dates } = CROWDED;
			await fill(store, { ...plan, slots: withRoom(max_bookings), perPlace, fromWeek, count: dates * perPlace });
		}
		return id;
	});

	const { fromWeek } = CROWDED;
	const weeks = { others: FAR_WEEK + weeksFilled(far), 'half full': fromWeek, 'nearly full': fromWeek };
	const weeksOf = ({ slots: [slot] }: BookingsRecipe) =>
		CROWDED_KINDS.find((kind) => slot === slotsOf(HOT[kind].max_bookings)[0]) ?? 'others';
	let recipes = 0;
	const recipe = (changes: Pick<BookingsRecipe, 'slots' | 'weeks' | 'perPlace'>): BookingsRecipe => {
		const made = { kind: 'bookings' as const, path: '/v1/bookings', firstDate: '', tag: `r${recipes++}`, ...changes };
		return { ...made, firstDate: addDays(FIRST_MONDAY, 7 * weeks[weeksOf(made)]) };
	};
	return {
		product,
		url: product.urls()[0]!,
		key,
		account,
		service,
		slots,
		first,
		bookings,
		pids: () => product.processes.map(({ pid }) => pid),
		get: async (path) => {
			const answer = await client.get(path);
			answer.mustBe(200);
			return answer.body;
		},
		spread: (kind = 'spread') => recipe({ slots, weeks: SPREAD_WEEKS[kind], perPlace: PER_PLACE }),
		hot: (kind) => recipe({ slots: slotsOf(HOT[kind].max_bookings), weeks: 1, perPlace: HOT[kind].perPlace }),
		used: (which, count) => {
			weeks[weeksOf(which)] += weeksUsed(which, count);
		},
		stop: () => product.stop(),
	};
}

/** Embedded, the store has one process at a time. */
async function fillStore<T>(product: Product, write: (store: Store) => Promise<T>): Promise<T> {
	const [process] = product.processes;
	const embedded = product.form === 'embedded';
	if (embedded) await process!.stop();
	const store = embedded
		? await openStore({ form: 'embedded', dataDir: embeddedDataDir(product) })
		: await openStore({ form: 'cluster', mongoUrl: product.mongoUrl!, namespace: 'bench' });
	try {
		return await write(store);
	} finally {
		await store.close();
		if (embedded) {
			await process!.restart();
			await process!.ready();
		}
	}
}

function slot(max_bookings: number) {
	return { day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings };
}
