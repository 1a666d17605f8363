import type { Round } from './round.ts';

/** What the rounds showed of a promise. */
export interface PromiseRow {
	promise: string;
	/** What was checked */
	checked: string;
	operations: number;
	faults: number;
	violations: number;
}

interface Promised {
	promise: string;
	checked: string;
	forms: Round['form'][];
	/** Violations of these rules are its own */
	rules: Round['violations'][number]['rule'][];
	/** Of one round; all of them where nothing is said */
	operations?(summary: Round['summary']): number;
	/** Faults that count, by their names; all of them where nothing is said */
	faults?: RegExp;
}

const HISTORIES: Round['form'][] = ['embedded', 'cluster'];
const NONE = /^$/;

const sum = (counts: Readonly<Record<string, number>>, names?: readonly string[]) =>
	Object.entries(counts).reduce((total, [name, count]) => total + (names?.includes(name) === false ? 0 : count), 0);
const ofKinds =
	(...names: string[]) =>
	({ kinds }: Round['summary']) =>
		sum(kinds, names);

const PROMISES: readonly Promised[] = [
	{
		promise: 'L1',
		checked: 'creations at once for 1, 2, 10 and 100 places: accepted = min(creations, places)',
		forms: ['cluster'],
		rules: ['contention'],
		operations: ({ contended }) => contended,
		faults: NONE,
	},
	{
		promise: 'L1, L3, L8',
		checked: 'active bookings ≤ the maximum at every instant; "full" and "duplicate" are justified',
		forms: HISTORIES,
		rules: ['capacity', 'customers', 'refusals'],
		operations: ofKinds('create', 'update', 'update customer', 'update slots', 'delete'),
	},
	{
		promise: 'I1',
		checked: 'a crash at an await, then the same request: it happened once',
		forms: ['crash'],
		rules: ['crash'],
	},
	{
		promise: 'I2–I4',
		checked: 'one booking and one answer an Idempotency-Key',
		forms: HISTORIES,
		rules: ['idempotency'],
		operations: ({ keyed }) => keyed,
	},
	{
		promise: 'V1–V3',
		checked: 'versions grow by one, and nobody is shown two contents of one',
		forms: HISTORIES,
		rules: ['versions'],
		operations: ofKinds('update', 'update customer', 'delete', 'get'),
	},
	{
		promise: 'T1, W1',
		checked: 'one event a change, in an order that happened, `sequence` without a gap; a customer record a booking',
		forms: HISTORIES,
		rules: ['events', 'replay', 'directory'],
		operations: ({ events }) => events,
	},
	{
		promise: 'T1',
		checked: 'the engine’s reads and writes in random order (model), its histories by the checker',
		forms: ['model'],
		rules: [],
	},
	{
		promise: 'T1',
		checked: 'products that are broken on purpose are found',
		forms: ['teeth'],
		rules: ['teeth'],
	},
	{
		promise: 'T2',
		checked: 'processes and servers are killed and stopped: nothing acknowledged is lost',
		forms: HISTORIES,
		rules: ['presence', 'reads'],
		faults: /^SIG/,
	},
	{
		promise: 'T3',
		checked: 'no 500 and no request without an end, also while connections are slow, hang, are reset and cut',
		forms: HISTORIES,
		rules: ['answers'],
		faults: /^(delay|hang|reset|cut) /,
	},
	{
		promise: 'T4',
		checked: 'random sequences of commands: every answer as the contract says',
		forms: ['commands'],
		rules: ['contract'],
	},
];

/** Each promise with what was done for it, and what was found; those of which no round was run are left out. */
export function promiseTable(rounds: readonly Round[]): PromiseRow[] {
	return PROMISES.flatMap(({ promise, checked, forms, rules, operations, faults = /./ }) => {
		const own = rounds.filter(({ form }) => forms.includes(form));
		if (own.length === 0) return [];
		const total = (value: (round: Round) => number) => own.reduce((all, round) => all + value(round), 0);
		const isOwn = ({ rule }: Round['violations'][number]) => rules.length === 0 || rules.includes(rule);
		const countsFault = (summary: Round['summary']) =>
			sum(
				summary.faults,
				Object.keys(summary.faults).filter((name) => faults.test(name)),
			);
		return [
			{
				promise,
				checked,
				operations: total(({ summary }) => operations?.(summary) ?? summary.operations),
				faults: total(({ summary }) => countsFault(summary)),
				violations: total(({ violations }) => violations.filter(isOwn).length),
			},
		];
	});
}
