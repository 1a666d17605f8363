import type { Alternative } from '../../../../../shared/contract/schemas/availability.ts';

/** The body of an answer that is no success (contract §1) */
export interface FailureBody {
	error?: string | { message: string; retry_after?: number };
	code?: string;
	faults?: { field: string; message: string }[];
	alternatives?: Alternative[];
}

/** The gateway answered, and refused. */
export class Refusal extends Error {
	readonly status: number;
	/** The name of the error in the catalogue, such as `time_slot_full` */
	readonly code: string;
	/** What can be booked instead, where that was asked for */
	readonly alternatives: Alternative[];
	/** s after which trying again makes sense; undefined where it does not */
	readonly retryAfter: number | undefined;

	constructor(status: number, body: FailureBody, retryAfter: number | undefined) {
		super(sentence(body));
		this.status = status;
		this.code = body.code ?? '';
		this.alternatives = body.alternatives ?? [];
		this.retryAfter = retryAfter;
	}
}

/** Whether the feed does not go on from where somebody was: that is too long ago, or an older backup was restored. */
export function isExpired(error: unknown): boolean {
	return error instanceof Refusal && error.code === 'events_expired';
}

/** No answer came, or one that says that nobody knows: a change may have happened. */
export class NoAnswer extends Error {
	constructor() {
		super('No answer came. It may have happened all the same: look before you try it again.');
	}
}

/** What people are told in place of the API's text, which is written for programs */
const SENTENCES: Record<string, string> = {
	time_slot_full: 'This time is fully booked.',
	closed: 'This time is closed.',
	notice: 'It is too late to book this time: the rules of the service ask for more notice.',
	horizon: 'It is too early to book this time: the rules of the service do not look that far ahead.',
	hold_expired: 'The hold has expired, and its place was given back.',
	duplicate_booking: 'This customer is booked for this time already.',
	version_conflict: 'Somebody changed this meanwhile. It was read again: look at it and try once more.',
	version_mismatch: 'Somebody changed this meanwhile. It was read again: look at it and try once more.',
	insufficient_scope: 'This key can only read.',
	time_slot_not_found: 'This time slot is not offered any more.',
	webhook_disabled: 'The webhook is disabled: enable it first.',
	events_expired: 'The event is not kept any more.',
};

function sentence({ error, code = '' }: FailureBody): string {
	if (SENTENCES[code] !== undefined) return SENTENCES[code];
	const text = typeof error === 'object' ? error.message : error;
	if (text === undefined || text === '') return 'The gateway refused this without a reason.';
	const first = text[0]!.toUpperCase() + text.slice(1);
	return /[.!?]$/.test(first) ? first : `${first}.`;
}
