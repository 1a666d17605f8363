import { type FailureBody, NoAnswer, Refusal } from './failures.ts';
import { changes, connection, rest, session, signOut } from './session.ts';

export type Query = Record<string, string | number | boolean | undefined>;
export type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Change {
	query?: Query;
	body?: unknown;
	/** The version that was read: whoever changed it since is not overwritten */
	version?: number | undefined;
	/** For creations: with it, sending a second time does it once */
	idempotencyKey?: string;
}

/** ms between two tries of a gateway that is away: the first, and the longest */
const [SOONEST, LATEST] = [500, 8_000];
/** ms without an answer after which none is waited for any more: longer than the gateway lets a request take */
const SILENCE = 15_000;
/** s that a reader waits for a rate limit without asking anybody */
const PATIENCE = 20;
/** Statuses that say as little as no answer: a gateway or what is behind it is gone for now */
const AWAY = [502, 503, 504];

/** Reads, as often as it takes: a gateway that goes away is waited for, and so is a limit of the plan. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
	for (let pause = SOONEST; ; pause = Math.min(pause * 2, LATEST)) {
		try {
			await delay(rest.until - performance.now(), signal); // also where another read was told to wait
			return await ask<T>('GET', path, { query }, signal);
		} catch (error) {
			const wait = error instanceof NoAnswer ? pause : waitFor(error);
			if (wait === undefined || signal?.aborted) throw error;
			if (error instanceof NoAnswer) await delay(wait, signal);
			else {
				connection.value = 'limited';
				rest.until = performance.now() + wait;
			}
		}
	}
}

/** Changes something, once; what has an idempotency key is tried again where no answer came. */
export async function change<T>(method: Method, path: string, asked: Change = {}): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			const data = await ask<T>(method, path, asked);
			if (asked.query?.dry_run !== true) changes.value++;
			return data;
		} catch (error) {
			const again = asked.idempotencyKey !== undefined && error instanceof NoAnswer && tries < 4;
			if (!again) throw onceMore(error);
			await delay(tries * SOONEST);
		}
	}
}

/** Whoever meets a version that is not the one they saw, or is told nothing, gets what there is on the screen. */
function onceMore(error: unknown): unknown {
	const isStale = error instanceof Refusal && [404, 409, 412].includes(error.status);
	if (isStale || error instanceof NoAnswer) changes.value++;
	return error;
}

/** One request, with the session's key or another. */
export async function ask<T>(
	method: Method | 'GET',
	path: string,
	{ query = {}, body, version, idempotencyKey }: Change = {},
	signal?: AbortSignal,
	key = session.value?.key,
): Promise<T> {
	const headers = new Headers({ Authorization: `Bearer ${key}` }); // what no header can carry is a TypeError
	if (body !== undefined) headers.set('Content-Type', 'application/json');
	if (version !== undefined) headers.set('If-Match', `"${version}"`);
	if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
	// A long poll may take as long as it was asked to.
	const limit = AbortSignal.timeout(SILENCE + Number(query.wait ?? 0) * 1000);
	const { answer, content } = await answered<T>(path + search(query), {
		method,
		headers,
		body: body === undefined ? undefined : JSON.stringify(body),
		credentials: 'omit',
		cache: 'no-store',
		redirect: 'error',
		signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
	});
	connection.value = 'here';
	if (answer.ok) return content.data;
	const refusal = new Refusal(answer.status, content, Number(answer.headers.get('Retry-After')) || undefined);
	const isOurs = session.value !== undefined && key === session.value.key;
	if (isOurs && (answer.status === 401 || refusal.code === 'account_suspended')) {
		signOut(answer.status === 401 ? 'This key is not valid any more. Sign in with another one.' : refusal.message);
	}
	throw refusal;
}

interface Answered<T> {
	answer: Response;
	/** Of a refusal by something between here and the gateway, nothing */
	content: { data: T } & FailureBody;
}

/**
 * An answer that came whole.
 * @throws NoAnswer
 */
async function answered<T>(url: string, request: RequestInit): Promise<Answered<T>> {
	try {
		const answer = await fetch(url, request);
		if (!AWAY.includes(answer.status)) {
			const text = await answer.text();
			return { answer, content: answer.ok ? JSON.parse(text) : parsed(text) };
		}
	} catch (error) {
		if ((error as Error).name === 'AbortError') throw error;
	}
	if (session.value !== undefined) connection.value = 'away';
	throw new NoAnswer();
}

function parsed(text: string) {
	try {
		return JSON.parse(text);
	} catch {
		return {};
	}
}

/** ms after which a refused reader asks again; undefined: it does not */
function waitFor(error: unknown): number | undefined {
	if (!(error instanceof Refusal) || error.status !== 429) return undefined;
	const { retryAfter = 1 } = error;
	return retryAfter <= PATIENCE ? retryAfter * 1000 : undefined;
}

function search(query: Query): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
	if (given.length === 0) return '';
	return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** @param ms nothing is waited for where it is not positive */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
	if (ms <= 0) return;
	await new Promise<void>((resolve, reject) => {
		const givenUp = () => reject(new DOMException('given up', 'AbortError'));
		if (signal?.aborted) return givenUp();
		const end = () => {
			clearTimeout(timer);
			givenUp();
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', end);
			resolve();
		}, ms);
		signal?.addEventListener('abort', end, { once: true });
	});
}
