import { arrivals } from './arrivals.ts';
import { Connection } from './connection.ts';
import { type Figures, Tally } from './figures.ts';
import { type Recipe, requestsOf } from './recipes.ts';

export interface OpenLoad {
	url: string;
	key?: string;
	recipe: Recipe;
	/** Requests a second that are intended, whatever the server does */
	rate: number;
	seconds: number;
	/** Connections, all open before the first request: as many may be under way, the others wait, and their time counts */
	outstanding: number;
	/** Of the arrivals: the same seed, the same moments */
	seed: number;
}

export interface OpenFigures extends Figures {
	/** Requests that were due */
	intended: number;
	/** 2xx a second that came within a second of the moment at which their request was due */
	goodput: number;
	/** Requests that had no answer 2 s after the last one was due, and those that were never sent */
	unanswered: number;
}

/** ms; a later answer is of no use to anybody */
const GOOD_WITHIN = 1_000;
/** ms after the last arrival */
const PATIENCE = 2_000;

/**
 * Latency: requests are due at moments that do not depend on the answers (a Poisson process), and every latency counts
 * from the moment at which the request was due, whether or not it could be sent then. So a server that stalls is blamed
 * for everybody who would have come meanwhile (no coordinated omission).
 */
export async function openLoop(load: OpenLoad): Promise<OpenFigures> {
	const { next, answered } = requestsOf(load.recipe, load.url, load.key);
	const tally = new Tally();
	const all = Array.from({ length: load.outstanding }, () => new Connection(load.url));
	await Promise.all(all.map((connection) => connection.ready().catch(() => {})));
	const idle = [...all];
	const due = arrivals(load.rate, load.seconds, load.seed);
	const began = performance.now();
	let arrived = 0;
	let sent = 0;
	let good = 0;

	const send = (connection: Connection) => {
		const n = sent++;
		connection.send(next(n), (status, body) => {
			const ms = performance.now() - began - due[n]!;
			tally.add(status, ms);
			if (status >= 200 && status < 300 && ms <= GOOD_WITHIN) good++;
			answered?.(n, status, body);
			if (sent < arrived) send(connection);
			else idle.push(connection);
		});
	};

	const lastCall = load.seconds * 1_000 + PATIENCE;
	for (;;) {
		const now = performance.now() - began;
		while (arrived < due.length && due[arrived]! <= now) arrived++;
		for (let free: Connection | undefined; sent < arrived; ) {
			free = idle.pop();
			if (free === undefined) break;
			send(free);
		}
		if (now > lastCall || (arrived === due.length && tally.answered === due.length)) break;
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
	const figures = tally.figures();
	for (const connection of all) connection.close();
	const unanswered = due.length - figures.answered;
	return { ...figures, intended: due.length, goodput: good / load.seconds, unanswered };
}
