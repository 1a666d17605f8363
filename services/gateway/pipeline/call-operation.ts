import { type Caller, call } from '../../../shared/bus/call.ts';
import type { ActionName, Params, Principal, Scoped } from '../../../shared/contract/actions.ts';
import { Deadline, inContext } from '../../../shared/work/deadline.ts';
import { beginUnderWay } from '../../../shared/work/long-work.ts';
import { Reading, Writing } from '../../../shared/work/reading.ts';
import type { AccountTurns } from '../admission/account-turns.ts';
import type { Admission } from '../admission/admission.ts';
import { isLong, type LongAnswers } from '../admission/waiting-line.ts';
import type { Operation, OperationRequest, Outcome } from '../operations/operation.ts';
import type { QuotaRecorder } from '../quota/quota-recorder.ts';
import type { RateLimit } from '../quota/rate-limit.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { CheckedRequest } from './validate.ts';

interface Parts {
	admission: Admission;
	turns: AccountTurns;
	long: LongAnswers;
	caller: Caller;
	isStopping: () => boolean;
	rateLimit: RateLimit;
	recorder: QuotaRecorder;
}

/**
 * Runs an operation for an account, when it is the account's turn. Every call that it makes carries the request's id and
 * what is left of its deadline, and is made only while the key is good. One that only reads ends with it, and with its
 * client's connection.
 * @param principal an account alone where no key was shown
 * @throws gateway_timeout when the deadline has passed, service_unavailable where its turn comes too late, and whatever
 *   error of the catalogue the actions throw
 */
export async function callOperation(
	operation: Operation,
	request: CheckedRequest,
	principal: Principal | Scoped,
	exchange: Exchange,
	{ admission, turns, long, caller, isStopping, rateLimit, recorder }: Parts,
	answer: (outcome: Outcome) => Answer | Promise<Answer>,
): Promise<[sent: Outcome['sent'], answer: Answer]> {
	const { account_id } = principal;
	const scopes = 'scopes' in principal ? principal.scopes : [];
	const patience = operation.patience?.(request.query) ?? 0;
	const remaining = () => exchange.deadline.remaining();
	const reading = operation.readsOnly ? new Reading(account_id, { remaining }) : undefined;
	const writing = reading === undefined ? new Writing() : undefined;
	exchange.reading = reading;
	const callForAccount: OperationRequest<unknown, unknown, unknown>['call'] = (action, params) => {
		exchange.deadline.assertTimeLeft();
		reading?.assertWanted();
		const ask = () => {
			const options = { requestID: exchange.requestId, timeout: Math.ceil(exchange.deadline.remaining()) };
			return call(caller, action, { ...params, account_id } as Params<ActionName>, options);
		};
		const judgement = exchange.judge?.();
		return (judgement === undefined ? ask() : judgement.then(ask)) as never;
	};
	const run = (mayWait: boolean) => {
		const recordRequests = () => recorder.record();
		const work = async (): Promise<[Outcome['sent'], Answer]> => {
			const outcome = await operation.run({
				...request,
				mayWait,
				isStopping,
				recordRequests,
				scopes,
				call: callForAccount,
			});
			// What was done is told. What was read, perhaps after a long wait, is for a key that is still good.
			if (reading !== undefined) await exchange.judge?.();
			return [outcome.sent, await answer(outcome)];
		};
		// Before anybody is told, the gateway waits for the disk: see `untold`.
		return inContext({ deadline: exchange.deadline, payer: reading ?? writing, isUntold: true }, work);
	};
	try {
		if (reading !== undefined && isLong(request.query)) {
			const idle = (turn: Promise<void>) => admission.whileIdle(turn);
			return await long.run(account_id, reading, () => inTurn(() => run(false)), idle);
		}
		if (patience === 0 || !turns.beginWaiting(account_id)) return await inTurn(() => run(false));
		exchange.deadline = new Deadline(exchange.deadline.remaining() + patience);
		return await admission.whileIdle(run(true)).finally(() => turns.endWaiting(account_id));
	} finally {
		if ('package' in principal) rateLimit.charge(principal, operation, reading?.units ?? 0);
	}

	async function inTurn<T>(work: () => Promise<T>): Promise<T> {
		const turn = turns.begin(account_id, exchange.deadline, reading);
		if (turn !== undefined) await admission.whileIdle(turn);
		const began = performance.now();
		const end = beginUnderWay(reading);
		try {
			return await work();
		} finally {
			end();
			const took = performance.now() - began;
			const written = writing?.units ?? 0;
			turns.end(account_id, { units: reading?.units ?? written, written, took });
		}
	}
}
