import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../../shared/bus/call.ts';
import type { CalendarEntry, Principal } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import type { RequestMetrics } from '../../../shared/metrics/gateway-metrics.ts';
import type { Store } from '../../../shared/store/store.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { Slices } from '../../../shared/work/long-work.ts';
import { Reading } from '../../../shared/work/reading.ts';
import type { Running } from '../../../shared/work/running.ts';
import type { AccountTurns } from '../admission/account-turns.ts';
import type { Admission } from '../admission/admission.ts';
import type { HeldMemory } from '../admission/held-memory.ts';
import type { LargeAnswers } from '../admission/large-answers.ts';
import type { LongAnswers } from '../admission/waiting-line.ts';
import type { Authenticator } from '../authentication/authenticate.ts';
import { authorize, type ScopeRefusals } from '../authentication/authorize.ts';
import type { FailedAuthentication } from '../authentication/failed-authentication.ts';
import { judgedOften } from '../authentication/judged-often.ts';
import { calendarAnswer } from '../calendar/calendar-answer.ts';
import { anyFeed, FEED_PATH, readFeed } from '../calendar/calendar-feed.ts';
import type { FeedAccess } from '../calendar/feed-access.ts';
import { asAsked } from '../operations/dry-run.ts';
import type { Operation, Outcome } from '../operations/operation.ts';
import type { Quota } from '../quota/quota.ts';
import type { QuotaRecorder } from '../quota/quota-recorder.ts';
import type { RateLimit } from '../quota/rate-limit.ts';
import { parseJson } from '../validation/parse-body.ts';
import { type Answer, errorAnswer, send, withRoom } from './answer.ts';
import { answerOutcome } from './answer-outcome.ts';
import { assertHead } from './assert-head.ts';
import { callOperation } from './call-operation.ts';
import { coded } from './content-coding.ts';
import type { Cors } from './cors.ts';
import { Exchange, traceRequest } from './exchange.ts';
import { Overload } from './overload.ts';
import { ClientGone, readBody } from './read-body.ts';
import { openRequestLog } from './request-log.ts';
import { Router, splitTarget } from './router.ts';
import { untilDurable } from './until-durable.ts';
import { type CheckedRequest, compileValidation, type Validate } from './validate.ts';

/** What is served without a key, such as `/openapi.json`: its answer, ready to send */
export type Page = (request: IncomingMessage) => Answer | Promise<Answer>;

type OperationEndpoint = { operation: Operation; validate: Validate };
type Endpoint = OperationEndpoint | { page: Page } | { feed: true };

export interface PipelineParts {
	operations: readonly Operation[];
	/** By path; each answers GET and HEAD */
	pages: Record<string, Page>;
	caller: Caller;
	authenticator: Authenticator;
	failedAuthentication: FailedAuthentication;
	feedAccess: FeedAccess;
	clock: Clock;
	rateLimit: RateLimit;
	quota: Quota;
	recorder: QuotaRecorder;
	scopeRefusals: ScopeRefusals;
	cors: Cors;
	logger: Logger;
	requests: Running;
	admission: Admission;
	memory: HeldMemory;
	large: LargeAnswers;
	turns: AccountTurns;
	long: LongAnswers;
	/** `Store.durable`, of the store of this process */
	durable: Store['durable'] | undefined;
	/** Called at each overload refusal */
	tellOverloadRefusal: () => void;
	metrics: RequestMetrics;
	/** Whether the process is about to end: nobody should wait for long any more. */
	isStopping: () => boolean;
	/** Whether new connections are refused: every answer is then the last on its connection. */
	isDraining: () => boolean;
}

/** An address says all that there is to say. */
const NOTHING_ASKED: CheckedRequest = {
	path: {},
	query: {},
	body: {},
	readOnly: {},
	ifMatch: undefined,
	idempotency: undefined,
};
/** Bytes of a body from which on it is long work */
const LARGE_BODY = 8 * 1024;
/** ms to note that an answer was sent */
const NOTING = 5_000;

/** The way of every request, from its headers to its answer. */
export class Pipeline {
	readonly #parts: PipelineParts;
	readonly #router = new Router<Endpoint>();
	readonly #logRequest: (exchange: Exchange) => void;
	readonly #overload: Overload;

	constructor(parts: PipelineParts) {
		this.#parts = parts;
		this.#logRequest = openRequestLog(parts.logger);
		this.#overload = new Overload(parts);
		for (const [path, page] of Object.entries(parts.pages)) this.#router.add('GET', path, { page });
		parts.metrics.expect(anyFeed.id);
		this.#router.add('GET', FEED_PATH, { feed: true });
		for (const operation of parts.operations) {
			parts.metrics.expect(operation.id);
			this.#router.add(operation.method, operation.path, { operation, validate: compileValidation(operation) });
		}
	}

	handle(request: IncomingMessage, response: ServerResponse): void {
		if (this.#overload.admits(request)) void this.#serve(request, response);
		else this.#overload.refuse(request, response);
	}

	/** See `Overload.refusePlain`. */
	refusePlain(head: Buffer): string | undefined {
		return this.#overload.refusePlain(head);
	}

	/** Never rejects: whatever happens becomes an answer in the envelope. */
	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { cors, isDraining, requests, metrics, memory } = this.#parts;
		const exchange = new Exchange(request, response);
		requests.begin();
		response.on('close', () => {
			requests.end();
			exchange.reading?.end();
			metrics.observe(exchange.operation?.id, exchange.status, exchange.age);
			this.#logRequest(exchange);
		});
		Object.assign(exchange.headers, cors.headersFor(request.headers.origin));
		const answer = await this.#durableAnswer(exchange);
		if (answer !== undefined) send(exchange, answer, isDraining(), memory);
	}

	/** @returns the answer, a refusal too, when all that it rests on is on the disk; undefined where the client has gone */
	async #durableAnswer(exchange: Exchange): Promise<Answer | undefined> {
		const { logger, admission, durable } = this.#parts;
		const refusal = (error: unknown) => coded(errorAnswer(error, exchange, logger), exchange);
		try {
			const answer = await this.#answer(exchange).catch((error: unknown) => {
				if (error instanceof ClientGone) throw error;
				return refusal(error);
			});
			await untilDurable(durable, exchange, logger);
			return answer;
		} catch (error) {
			return error instanceof ClientGone ? undefined : refusal(error);
		} finally {
			admission.end();
		}
	}

	/** The order of checks is the contract's (§1). */
	async #answer(exchange: Exchange): Promise<Answer> {
		const { request } = exchange;
		assertHead(request);
		const { path, query } = splitTarget(request.url!);
		const found = this.#router.find(path);
		if (found === undefined) throw new ApiError('not_found');
		const endpoint = found.resource.endpoints.get(request.method!);
		if (endpoint === undefined) return this.#otherMethod(exchange, found.resource.allow);
		if ('page' in endpoint) return endpoint.page(request);
		if ('feed' in endpoint) {
			exchange.operation = anyFeed;
			return traceRequest(exchange, anyFeed, () => this.#readFeed(exchange, found.values[0]!));
		}

		exchange.operation = endpoint.operation;
		return traceRequest(exchange, endpoint.operation, () => this.#operate(exchange, endpoint, found.values, query));
	}

	/** No key, no scope, no plan's rate, no envelope: the address is the key, and each has a rate of its own. */
	async #readFeed(exchange: Exchange, file: string): Promise<Answer> {
		const { admission, clock, feedAccess } = this.#parts;
		const feed = await feedAccess.open(file, exchange);
		const ifNoneMatch = exchange.request.headers['if-none-match'];
		const answer = async ({ data }: Outcome) => {
			const made = await calendarAnswer(feed, data as CalendarEntry[], ifNoneMatch);
			const inCoding = await admission.whileIdle(Promise.resolve(coded(made, exchange, exchange.reading)));
			return withRoom(inCoding, exchange, this.#parts);
		};
		const [, made] = await callOperation(
			readFeed(feed, clock.now()),
			NOTHING_ASKED,
			feed,
			exchange,
			this.#parts,
			answer,
		);
		return made;
	}

	async #operate(
		exchange: Exchange,
		endpoint: OperationEndpoint,
		pathValues: string[],
		query: string,
	): Promise<Answer> {
		const { request, response } = exchange;
		const { admission, authenticator, clock, memory, scopeRefusals } = this.#parts;
		const { validate } = endpoint;
		const operation = asAsked(endpoint.operation, query);
		const principal = authenticator.known(request.headers.authorization) ?? (await this.#authenticate(exchange));
		exchange.accountId = principal.account_id;
		// Not by `#authenticate`: who was let in with a good key is no guesser.
		const judge = async () => {
			const now = await authenticator.authenticate(request.headers.authorization, exchange.requestId);
			authorize(now, operation, scopeRefusals);
		};
		exchange.judge = judgedOften(clock, judge);
		await this.#admit(principal, operation, exchange);

		const { body: expected } = operation;
		const hold = (giveUp: () => void) => memory.hold(principal.account_id, giveUp);
		const bytes = expected && (await admission.whileIdle(readBody(request, response, expected.limit, hold)));
		if (bytes !== undefined) await exchange.judge();
		const check = (body?: Record<string, unknown>) => validate({ pathValues, query, body, headers: request.headers });
		const checked =
			bytes === undefined || bytes.length < LARGE_BODY ? check(bytes && parseJson(bytes)) : await inSlices();

		const ifNoneMatch = request.headers['if-none-match'];
		const whenThereIsRoom = (made: Answer) => withRoom(made, exchange, this.#parts);
		const answer = (outcome: Outcome) => {
			const made = answerOutcome(operation, outcome, ifNoneMatch);
			return made instanceof Promise ? made.then(inItsCoding).then(whenThereIsRoom) : inItsCoding(made);
		};
		const [sent, made] = await callOperation(operation, checked, principal, exchange, this.#parts, answer);
		if (sent) this.#afterSending(exchange, sent);
		return made;

		function inItsCoding(made: Answer): Answer | Promise<Answer> {
			const inCoding = coded(made, exchange, exchange.reading);
			return inCoding instanceof Promise ? admission.whileIdle(inCoding) : inCoding;
		}

		/** Parsing it and checking it take some milliseconds each: this is long work of the account's. */
		async function inSlices(): Promise<CheckedRequest> {
			const slices = new Reading(principal.account_id, exchange.deadline).run(() => new Slices());
			try {
				await slices.next();
				const body = parseJson(bytes!);
				await slices.next();
				return check(body);
			} finally {
				slices.end();
			}
		}
	}

	async #authenticate({ request, requestId }: Exchange): Promise<Principal> {
		const { authenticator, failedAuthentication } = this.#parts;
		const permit = (hash: string) => failedAuthentication.permit(hash, request);
		try {
			return await authenticator.authenticate(request.headers.authorization, requestId, permit);
		} catch (error) {
			throw failedAuthentication.judge(error, request);
		}
	}

	/** Not where the connection is cut before the answer went out whole, or the disk failed. Whoever takes it late used up its time. */
	#afterSending(exchange: Exchange, sent: () => Promise<unknown>): void {
		const { request, response } = exchange;
		exchange.judge = undefined; // it is over, whatever becomes of the key
		const note = async () => {
			if (request.socket.destroyed || request.socket.readableEnded || response.statusCode >= 500) return;
			exchange.deadline = new Deadline(NOTING);
			await sent();
		};
		const failed = (error: unknown) => logFailure(this.#parts.logger, error, 'could not note that an answer was sent');
		response.once('finish', () => note().catch(failed));
	}

	/** What the account may do, and how much. Every answer from here on tells where its rate stands (promise R3). */
	async #admit(principal: Principal, operation: Operation, { headers }: Exchange): Promise<void> {
		const { quota, rateLimit, scopeRefusals } = this.#parts;
		try {
			authorize(principal, operation, scopeRefusals);
			await quota.count(principal, () => rateLimit.take(principal, operation, headers));
		} catch (error) {
			await rateLimit.show(principal, headers);
			throw error;
		}
	}

	#otherMethod(exchange: Exchange, allow: string): Answer {
		const preflight = this.#parts.cors.preflight(exchange.request, allow);
		if (preflight !== undefined) return preflight;
		exchange.headers.Allow = allow;
		throw new ApiError('method_not_allowed');
	}
}
