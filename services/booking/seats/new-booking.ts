import { boundsOf } from '../../../shared/calendar/plain-date.ts';
import type { CreateBookingParams, Scoped, SlotNow } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { mergeMetadata } from '../../../shared/contract/merge-metadata.ts';
import { normalisedEmail } from '../../../shared/contract/person.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { Metadata } from '../../../shared/contract/schemas/metadata.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { assertBookable } from '../catalog-source.ts';
import { NO_KEY, type PromisedBooking, toBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { customerKey, idempotencyKeyOf } from '../document/keys.ts';
import { creationOf } from '../document/prepare-update.ts';
import { promisedFields } from '../document/promised.ts';
import type { WriteOutcome } from '../document/settle-change.ts';
import { InsertUnsettled } from '../document/settle-insert.ts';
import { heldFields, holdFields } from '../document/states.ts';
import { QuotaUse } from '../quota/quota-use.ts';
import type { UnsettledBookings } from '../quota/unsettled-bookings.ts';
import type { Claim } from './seat-queue.ts';

/** The claim of a booking that is being made. All its attempts carry one id and one `write_id`: only one can land. */
export class NewBooking implements Claim {
	readonly account_id: string;
	readonly time_slot_id: number;
	readonly date: string;
	readonly deadline: Deadline;
	readonly movedId = undefined;
	readonly customerKey: string | null;
	readonly quota = new QuotaUse();
	/** The booking as it was written; set once the claim went through. */
	document!: PromisedBooking;
	response!: Booking;

	readonly #store: BookingStore;
	readonly #unsettled: UnsettledBookings;
	readonly #params: CreateBookingParams;
	readonly #metadata: Metadata | undefined;
	readonly #customer: { name: string | null; email: string | null; phone: string | null };
	readonly #writeId = randomBase62(12);
	#id: number | undefined;

	constructor(
		{ store, unsettled }: { store: BookingStore; unsettled: UnsettledBookings },
		params: Scoped & CreateBookingParams,
		deadline: Deadline,
	) {
		const { account_id, body } = params;
		this.#store = store;
		this.#unsettled = unsettled;
		this.#params = params;
		this.#metadata = body.metadata && mergeMetadata({}, body.metadata);
		this.#customer = {
			name: body.customer_name ?? null,
			email: body.customer_email ?? null,
			phone: body.customer_phone ?? null,
		};
		this.account_id = account_id;
		this.time_slot_id = body.time_slot_id;
		this.date = body.date;
		this.deadline = deadline;
		this.customerKey = customerKey({ ...body, customer: this.#customer });
	}

	assertSlot(now: SlotNow | null): void {
		const service_id = this.#params.service_id ?? this.#params.body.service_id;
		if (now === null || (service_id != null && now.slot.service_id !== service_id)) {
			throw new ApiError('time_slot_not_found');
		}
		const { date } = this;
		assertBookable(now, { date, ignoresRules: this.#params.ignore_rules === true }, this.#store.clock.now());
	}

	async prepare(): Promise<void> {
		this.#id ??= await this.#store.nextId();
	}

	async write(seat: number, slotNow: SlotNow, lease: Lease | undefined): Promise<WriteOutcome> {
		this.#build(seat, slotNow);
		const outcome = await this.#insert(lease);
		if (outcome === 'written') await this.#deleteIfServiceIs();
		else await this.#assertKeyUnused();
		return outcome;
	}

	#build(seat: number, slotNow: SlotNow): void {
		const id = this.#id!;
		const now = this.#store.clock.now();
		const at = this.#inItsMonth(now);
		const { body, idempotency } = this.#params;
		const { account_id, time_slot_id, date } = this;
		const { service_id } = slotNow.slot;
		const document: PromisedBooking = {
			_id: id,
			account_id,
			service_id,
			listed_under: service_id,
			time_slot_id,
			date,
			...promisedFields(slotNow, date),
			status: 'pending',
			...(body.hold_minutes == null ? {} : holdFields(body.hold_minutes, now)),
			cancel_reason: null,
			message: body.message ?? null,
			...(this.#metadata && { metadata: this.#metadata }),
			...heldFields({ _id: id, service_id, time_slot_id, date }, seat, this.customerKey),
			idempotency_key: NO_KEY,
			idempotency: null,
			customer: { id, ...this.#customer, created_at: at, updated_at: at },
			email_key: this.#customer.email === null ? '' : normalisedEmail(this.#customer.email),
			outbox: [],
			relay_at: now,
			version: 1,
			write_id: this.#writeId,
			created_at: at,
			updated_at: at,
			deleted_at: null,
		};
		this.response = toBooking(document);
		document.outbox = [creationOf(document)];
		if (idempotency) {
			document.idempotency_key = idempotencyKeyOf(account_id, idempotency.key);
			document.idempotency = { fingerprint: idempotency.fingerprint, at: now, answer: this.response };
		}
		this.document = document;
	}

	/** Counted in a month, it was made in that month, also where the clock reached another one in between. @param now ms */
	#inItsMonth(now: number): string {
		const { month } = this.quota;
		if (month === '') return timestamp(now);
		const { start, end } = boundsOf(month);
		return timestamp(Math.min(Math.max(now, start), end - 1));
	}

	/** The booking counts against the quota where it was written, or may be. */
	async #insert(lease: Lease | undefined): Promise<WriteOutcome> {
		try {
			const outcome = await this.#store.insert(this.document, lease, this.deadline);
			if (outcome === 'written') this.quota.keep();
			return outcome;
		} catch (error) {
			if (!(error instanceof InsertUnsettled)) throw error;
			this.quota.keep();
			this.#unsettled.add(this.document, this.quota.month);
			throw error.cause;
		}
	}

	/** A key that another request used meanwhile: the caller looks up that one's answer. */
	async #assertKeyUnused(): Promise<void> {
		const { idempotency } = this.#params;
		if (!idempotency) return;
		const answer = await this.#store.firstAnswerOrFreeKey(this.account_id, idempotency);
		if (answer !== undefined) throw new ApiError('request_in_progress');
	}

	/**
	 * Looked at after the insert: either the service's deletion saw this booking, or this sees the mark (ADR 6). Its client is
	 * told that it was made, for it was: what is refused has no effect.
	 */
	async #deleteIfServiceIs(): Promise<void> {
		const { _id, account_id, service_id } = this.document;
		const { closures, all, clock } = this.#store;
		if (!(await closures.isClosed(account_id, service_id))) return;
		await withoutDeadline(() => all.deleteWithService(service_id, [_id], clock.now()));
	}
}
