import { boundsOf } from '../../../shared/calendar/plain-date.ts';
import type { CreateBookingParams, Idempotency, Scoped } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Booking, CreateBooking } from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { assertFallsOn } from '../catalog-source.ts';
import { type BookingDocument, toBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { deletion, eventOf } from '../document/change.ts';
import { filler, idempotencyKeyOf, normalisedEmail } from '../document/keys.ts';
import { InsertUnsettled } from '../document/settle-insert.ts';
import { customerKey, held } from '../document/states.ts';
import { QuotaUse } from '../quota/quota-use.ts';
import type { UnsettledBookings } from '../quota/unsettled-bookings.ts';
import type { Claim, WriteOutcome } from './seat-queue.ts';

/** The claim of a booking that is being made. All its attempts carry one id and one `write_id`: only one can land. */
export class NewBooking implements Claim {
	readonly account_id: string;
	readonly time_slot_id: number;
	readonly date: string;
	readonly deadline: Deadline;
	readonly customerKey: string | null;
	readonly quota = new QuotaUse();
	id: number | undefined;
	/** The booking as it was written; set once the claim went through. */
	document!: BookingDocument;
	answer!: Booking;

	readonly #store: BookingStore;
	readonly #unsettled: UnsettledBookings;
	readonly #body: CreateBooking;
	readonly #serviceId: number | null | undefined;
	readonly #idempotency: Idempotency | undefined;
	readonly #customer: { name: string | null; email: string | null; phone: string | null };
	readonly #writeId = randomBase62(12);

	constructor(
		{ store, unsettled }: { store: BookingStore; unsettled: UnsettledBookings },
		params: Scoped & CreateBookingParams,
		deadline: Deadline,
	) {
		const { account_id, body, service_id, idempotency } = params;
		this.#store = store;
		this.#unsettled = unsettled;
		this.#body = body;
		this.#serviceId = service_id ?? body.service_id;
		this.#idempotency = idempotency;
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

	assertSlot(slot: TimeSlot | null): asserts slot is TimeSlot {
		if (slot === null || (this.#serviceId != null && slot.service_id !== this.#serviceId)) {
			throw new ApiError('time_slot_not_found');
		}
		assertFallsOn(slot, this.date);
	}

	async prepare(): Promise<void> {
		this.id ??= await this.#store.nextId();
	}

	async write(seat: number, slot: TimeSlot, lease: Lease | undefined): Promise<WriteOutcome> {
		this.#build(seat, slot);
		if ((await this.#insert(lease)) === 'taken') {
			await this.#assertKeyUnused();
			return 'taken';
		}
		await this.#assertServiceOpen();
		return 'written';
	}

	async landed(): Promise<void> {
		await this.#assertServiceOpen();
	}

	#build(seat: number, slot: TimeSlot): void {
		const id = this.id!;
		const now = this.#store.clock.now();
		const at = this.#inItsMonth(timestamp(now));
		const document: BookingDocument = {
			_id: id,
			account_id: this.account_id,
			service_id: slot.service_id,
			listed_under: slot.service_id,
			time_slot_id: slot.id,
			date: this.date,
			status: 'pending',
			cancel_reason: null,
			message: this.#body.message ?? null,
			...held({ _id: id, service_id: slot.service_id, time_slot_id: slot.id, date: this.date }, seat, this.customerKey),
			idempotency_key: filler(id),
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
		this.answer = toBooking(document, slot);
		document.outbox = [eventOf('booking.created', document, slot)];
		if (this.#idempotency) {
			document.idempotency_key = idempotencyKeyOf(this.account_id, this.#idempotency.key);
			document.idempotency = { fingerprint: this.#idempotency.fingerprint, at: now, answer: this.answer };
		}
		this.document = document;
	}

	/** A month that ended since the booking was counted in it did not end before it was made. */
	#inItsMonth(now: string): string {
		const { month } = this.quota;
		if (month === '' || now.startsWith(month)) return now;
		const last = timestamp(boundsOf(month).end - 1);
		return now < last ? now : last;
	}

	async #insert(lease: Lease | undefined): Promise<WriteOutcome> {
		this.quota.keep();
		try {
			const outcome = await this.#store.insert(this.document, lease, this.deadline);
			if (outcome === 'taken') this.quota.letGo();
			return outcome;
		} catch (error) {
			if (error instanceof InsertUnsettled) {
				this.#unsettled.add(this.document, this.quota.month);
				throw error.cause;
			}
			this.quota.letGo();
			throw error;
		}
	}

	/** A key that another request used meanwhile: the caller looks up that one's answer. */
	async #assertKeyUnused(): Promise<void> {
		if (!this.#idempotency) return;
		const answer = await this.#store.findFirstAnswer(this.account_id, this.#idempotency);
		if (answer !== undefined) throw new ApiError('request_in_progress');
	}

	/**
	 * Looked at after the insert: either the service's closing saw this booking, or this sees the mark (ADR 6). Its
	 * Idempotency-Key stays: another request may have replayed the first answer already, so all get that one.
	 */
	async #assertServiceOpen(): Promise<void> {
		const { account_id, service_id } = this.document;
		this.quota.keep(); // the booking is there, also where nothing below gets an answer
		if (!(await this.#store.closures.isClosed(account_id, service_id))) return;
		const now = this.#store.clock.now();
		const { change } = deletion(this.document, this.answer.time_slot, now);
		await withoutDeadline(async () => {
			const outcome = await this.#store.update(this.document, change);
			if (outcome !== 'written') await this.#store.all.deleteWithService([this.document._id], now); // changed already
		});
		if (!this.#idempotency) this.quota.letGo(); // under a key its first answer is given
		throw new ApiError('time_slot_not_found');
	}
}
