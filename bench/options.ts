import { parseArgs } from 'node:util';
import type { Form } from '../test/support/product.ts';

export interface Options {
	forms: Form[];
	/** Only the measures of these names, or those whose names contain them; divided by commas */
	only: string | undefined;
	rounds: number;
	/** Of each side of a round */
	seconds: number;
	/** Before the rounds, for each side */
	warmUp: number;
	clients: number;
	/** Bookings of the large store */
	large: Record<Form, number>;
	json: string | undefined;
	/** Directory for CPU profiles of the product's processes */
	profile: string | undefined;
}

export const USAGE = `npm run bench [-- [embedded|cluster] [--only <measure>,…] [--rounds n] [--seconds s] [--json file]
    [--quick] [--profile directory] [--list]]

BENCH_BOOKINGS: bookings of the large store, default 1,000,000 embedded and 200,000 in a cluster.
TEST_MONGO_URL: the database of the cluster form, which also needs nats-server and redis-server in the path.
`;

/** @throws TypeError for what is not in USAGE */
export function readOptions(args: string[]): Options & { list: boolean } {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			only: { type: 'string' },
			rounds: { type: 'string' },
			seconds: { type: 'string' },
			json: { type: 'string' },
			profile: { type: 'string' },
			quick: { type: 'boolean', default: false },
			list: { type: 'boolean', default: false },
		},
	});
	const forms: Form[] = ['embedded', 'cluster'];
	const stray = positionals.find((name) => !forms.includes(name as Form));
	if (stray !== undefined) throw new TypeError(`${stray} is neither embedded nor cluster`);
	const { quick, list, only, json, profile } = values;
	const large = process.env.BENCH_BOOKINGS ?? (quick ? '2000' : undefined);
	return {
		list,
		only,
		json,
		profile,
		forms: positionals.length === 0 ? forms : (positionals as Form[]),
		rounds: positive('rounds', values.rounds, quick ? 1 : 7),
		seconds: positive('seconds', values.seconds, quick ? 0.5 : 2),
		warmUp: quick ? 0.2 : 3,
		clients: 64,
		large: {
			embedded: positive('BENCH_BOOKINGS', large, 1_000_000),
			cluster: positive('BENCH_BOOKINGS', large, 200_000),
		},
	};
}

function positive(name: string, text: string | undefined, otherwise: number): number {
	const value = text === undefined ? otherwise : Number(text);
	if (!(value > 0)) throw new TypeError(`${name}: ${text} is not a number above 0`);
	return value;
}
