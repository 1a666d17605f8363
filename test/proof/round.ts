import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '../support/http-client.ts';
import { startProduct } from '../support/product.ts';
import { checkHistory } from './checker/check-history.ts';
import type { Rule, Violation } from './checker/violation.ts';
import { Cluster } from './cluster.ts';
import { CAPACITIES, contend, exactly } from './contention.ts';
import { recordDirectory } from './directory.ts';
import { disturb, killOne, stopOne } from './faults.ts';
import { runModel } from './model/run-model.ts';
import { Random } from './random.ts';
import { Recorder } from './recorder.ts';
import { type Summary, summarise } from './summary.ts';
import { Workload } from './workload/workload.ts';

/** One round of the proof. The seed decides the clients' plans, the faults and their moments. */
export interface Round {
	seed: number;
	form: 'embedded' | 'cluster' | 'model' | 'commands' | 'crash' | 'teeth';
	summary: RoundSummary;
	violations: RoundViolation[];
	/** Longest time from a kill's restart to /readyz everywhere, ms */
	slowestReady: number;
	/** JSON lines of it; none for the model, whose seed says all */
	history: string | undefined;
}

export type RoundSummary = Omit<Summary, 'violations'> & {
	/** Creations at once for a few places */
	contended: number;
};
type RoundViolation = Omit<Violation, 'rule'> & {
	account: string;
	/** A rule of the checker, or what a round checks beside */
	rule: Rule | 'contention' | 'contract' | 'crash' | 'teeth';
};

const KILLS = 12;
/** Creations at once for each of four capacities */
const CREATES = 250;
const MODEL_RUNS = 150;
/** ms that a request may take while processes stand still */
const DURATION = 25_000;

/** The single process, killed again and again under writes. */
export async function embeddedRound(seed: number, history: string): Promise<Round> {
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: 2 } });
	const recorder = begin(seed, 'embedded', history);
	const random = new Random(seed);
	let slowestReady = 0;
	try {
		const [slotwise] = product.processes;
		const accounts = product.keys.Unlimited.map((key, index) => ({
			name: `account ${index + 1}`,
			http: new Client(() => product.urls(), key),
		}));
		const workload = new Workload({ accounts, recorder, seed, clients: 6, pace: 30 });
		await workload.prepare();
		workload.start();
		for (let kill = 0; kill < KILLS; kill++) {
			await delay(300 + 1_700 * random.next());
			recorder.fault('SIGKILL slotwise');
			slotwise!.kill('SIGKILL');
			await slotwise!.exited;
			const since = performance.now();
			await slotwise!.restart();
			await slotwise!.ready();
			slowestReady = Math.max(slowestReady, performance.now() - since);
		}
		await workload.stop();
		await workload.settle();
		await recordDirectory(product, recorder);
	} finally {
		await product.stop();
	}
	return { seed, form: 'embedded', slowestReady, history, ...checked(recorder) };
}

/** Many processes: creations at once, then a load under which they are killed and stopped and their connections fail. */
export async function clusterRound(seed: number, history: string): Promise<Round> {
	const cluster = await Cluster.start({ accounts: 3 });
	const recorder = begin(seed, 'cluster', history);
	const random = new Random(seed);
	const violations: Round['violations'] = [];
	let slowestReady = 0;
	try {
		const contention = await contend(cluster, CREATES);
		if (!isDeepStrictEqual(contention, exactly(CREATES))) {
			violations.push({ account: 'account 1', rule: 'contention', text: JSON.stringify(contention) });
		}
		const workload = new Workload({ accounts: cluster.accounts().slice(1), recorder, seed, clients: 6, pace: 100 });
		await workload.prepare();
		workload.start();
		for (const victim of random.shuffled(cluster.victims())) {
			await delay(300 + 1_000 * random.next());
			slowestReady = Math.max(slowestReady, (await killOne(cluster, victim, recorder)).ready);
		}
		for (const victim of random.shuffled(cluster.victims()).slice(0, 4)) {
			await stopOne(victim, recorder, 300 + 4_000 * random.next());
		}
		for (const [name, proxy] of random.shuffled(Object.entries(cluster.proxies))) {
			const kinds = ['delay', 'hang', 'reset', 'cut'] as const;
			const kind = random.pick(kinds);
			await delay(1_000);
			await disturb(name, proxy, { kind, ms: 500 }, recorder, random.between(500, kind === 'cut' ? 30_000 : 6_000));
		}
		await delay(1_000);
		await workload.stop();
		await cluster.ready();
		await workload.settle();
		await recordDirectory(cluster.product, recorder);
	} finally {
		await cluster.stop();
	}
	const { summary, violations: found } = checked(recorder);
	const contended = CREATES * CAPACITIES.length;
	return {
		seed,
		form: 'cluster',
		slowestReady,
		history,
		summary: { ...summary, contended },
		violations: [...violations, ...found],
	};
}

/** The model of the booking engine, over many interleavings. */
export function modelRound(seed: number): Round {
	const random = new Random(seed);
	const violations: Round['violations'] = [];
	let operations = 0;
	for (let run = 0; run < MODEL_RUNS; run++) {
		const options = {
			seed: random.index(2 ** 31),
			profile: random.pick(['everything', 'seats', 'closing'] as const),
			clients: random.between(2, 8),
			crashes: random.pick([0, 0.002, 0.01]),
			stops: random.pick([0, 0.02, 0.1]),
		};
		const { history, broken } = runModel(options);
		const found = checkHistory(history, { duration: Number.POSITIVE_INFINITY });
		const account = `model ${JSON.stringify(options)}`;
		operations += history.operations.length;
		violations.push(...found.map((violation) => ({ account, ...violation })));
		violations.push(...broken.map((text) => ({ account, rule: 'capacity' as const, text })));
	}
	const summary = { ...nothing, operations };
	return { seed, form: 'model', slowestReady: 0, history: undefined, summary, violations };
}

/** Of a round that writes no history. */
export const nothing: RoundSummary = {
	operations: 0,
	ok: 0,
	refused: 0,
	unknown: 0,
	keyed: 0,
	kinds: {},
	acknowledged: 0,
	events: 0,
	faults: {},
	contended: 0,
};

function begin(seed: number, form: string, history: string): Recorder {
	const recorder = new Recorder(history);
	recorder.begin({ seed, form, started: new Date().toISOString() });
	return recorder;
}

function checked(recorder: Recorder): Pick<Round, 'summary' | 'violations'> {
	const { violations, ...summary } = summarise(recorder.lines, { duration: DURATION });
	return { summary: { ...summary, contended: 0 }, violations };
}
