import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { AccountTurns } from '../admission/account-turns.ts';
import { type Admission, isProbe } from '../admission/admission.ts';
import type { Authenticator } from '../authentication/authenticate.ts';
import { COMMON_HEADERS, envelope, JSON_TYPE } from './answer.ts';
import type { Cors } from './cors.ts';
import { requestIdOf } from './exchange.ts';
import { headText, STAYS_OPEN, writeHead } from './head.ts';

const REFUSAL = new ApiError('service_unavailable');
const BODY = envelope(REFUSAL);
const HEADERS: Readonly<Record<string, string>> = {
	...COMMON_HEADERS,
	'Content-Type': JSON_TYPE,
	'Content-Length': String(Buffer.byteLength(BODY)),
	'Retry-After': String(REFUSAL.retryAfter),
};
/** Requests of an account at work that are few */
const FEW = 4;

/** A GET of which nothing is unusual: in each line a name and a value, no control character, nothing folded */
const PLAIN_GET = /^GET ([!-~]+) HTTP\/1\.1\r\n(?:[\w-]+:[ -~]*\r\n)+\r\n$/;
/** Headers that say where a request ends, or how it is to be answered */
const MATTERS =
	/\r\n(?:(?:content-length|transfer-encoding|expect|upgrade|origin):|connection:(?! *keep-alive *\r\n))/i;
const REQUEST_ID = /\r\nx-request-id:([^\r]*)/i;
const AUTHORIZATION = /\r\nauthorization:([^\r]*)/i;
/** Bytes of the longest head that is looked at */
const LONGEST = 1_024;

interface Parts {
	admission: Admission;
	authenticator: Authenticator;
	turns: AccountTurns;
	cors: Cors;
	isDraining: () => boolean;
	tellOverloadRefusal: () => void;
}

/**
 * Overload refusals: 503 before anything is known of a request but its headers. What is spent here is missing for those
 * that are served, so everything that does not change is made beforehand.
 */
export class Overload {
	readonly #parts: Parts;
	/** A plain refusal, before its request id and after it */
	readonly #before: string;
	readonly #after: string;

	constructor(parts: Parts) {
		this.#parts = parts;
		const head = headText(REFUSAL.status, { ...HEADERS, ...parts.cors.headersFor(undefined) });
		this.#before = `${head}X-Request-Id: `;
		this.#after = `\r\n${STAYS_OPEN}\r\n${BODY}`;
	}

	/** @returns whether a request may begin; if so, `Admission.end` must follow */
	admits({ url, headers }: IncomingMessage): boolean {
		return this.#parts.admission.begin(url!, () => this.#isModest(headers.authorization));
	}

	/**
	 * Node reads and drops a body that comes, or closes the connection after the answer where a client waits for
	 * `100 Continue` before it sends one.
	 */
	refuse({ headers: asked }: IncomingMessage, response: ServerResponse): void {
		const { cors, isDraining, tellOverloadRefusal } = this.#parts;
		writeHead(response, REFUSAL.status, {
			...HEADERS,
			'X-Request-Id': requestIdOf(asked['x-request-id']),
			...cors.headersFor(asked.origin),
			...(isDraining() ? { Connection: 'close' } : {}),
		});
		response.end(BODY);
		tellOverloadRefusal();
	}

	/**
	 * The same for less: a plain GET is refused before Node's parser makes a request and a response of its bytes, which would
	 * be two thirds of the cost. Whatever is unusual goes the ordinary way. It has no Date, as an answer of 5xx may (RFC
	 * 9110 §6.6.1).
	 * @returns the answer; undefined where the request is not refused, or not here
	 */
	refusePlain(head: Buffer): string | undefined {
		const { admission, isDraining, tellOverloadRefusal } = this.#parts;
		if (!admission.isBehind || isDraining() || head.length > LONGEST) return undefined;
		const text = head.toString('latin1');
		const target = PLAIN_GET.exec(text)?.[1];
		if (target === undefined || isProbe(target) || MATTERS.test(text)) return undefined;
		if (!admission.refuses(() => this.#isModest(AUTHORIZATION.exec(text)?.[1]?.trim()))) return undefined;
		tellOverloadRefusal();
		return `${this.#before}${requestIdOf(REQUEST_ID.exec(text)?.[1]?.trim())}${this.#after}`;
	}

	/** Whether a request is of an account that has next to nothing at work: others must not keep it out. */
	#isModest(authorization: string | undefined): boolean {
		const { authenticator, turns } = this.#parts;
		const principal = authenticator.known(authorization);
		return principal !== undefined && turns.of(principal.account_id) < FEW;
	}
}
