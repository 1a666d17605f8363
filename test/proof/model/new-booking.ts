import { occurrenceName } from '../../../services/booking/document/keys.ts';
import type { CreateBooking } from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { identityOf } from '../checker/holdings.ts';
import { type Claim, type Planted, Refusal } from './places.ts';
import type { Work } from './scheduler.ts';
import { customerKeyOf, type Document, eventOf, filler, type ModelStore, toBooking } from './store.ts';

/** A booking that is being made: as in services/booking/seats/new-booking.ts. */
export class NewBooking implements Claim {
	readonly time_slot_id: number;
	readonly date: string;
	readonly customerKey: string | null;
	readonly movedId = undefined;
	id: number | undefined;
	outcome?: 'written' | 'stale' | Error;
	document!: Document;
	readonly #store: ModelStore;
	readonly #planted: Planted;
	readonly #body: CreateBooking;
	readonly #key: string | undefined;
	readonly #begun: number;

	constructor(store: ModelStore, planted: Planted, body: CreateBooking, key: string | undefined, begun: number) {
		const identity = identityOf({ email: body.customer_email, phone: body.customer_phone });
		this.#store = store;
		this.#planted = planted;
		this.#body = body;
		this.#key = key;
		this.#begun = begun;
		this.time_slot_id = body.time_slot_id;
		this.date = body.date;
		this.customerKey = customerKeyOf(occurrenceName(body.time_slot_id, body.date), identity);
	}

	*write(seat: number, slot: TimeSlot): Work<'written' | 'duplicate key'> {
		this.id ??= this.#store.nextId();
		this.document = this.#build(this.id, seat, slot);
		yield;
		let closed = this.#store.marks.has(slot.service_id);
		yield;
		if (this.#store.insert(this.document) === 'duplicate key') {
			yield;
			if (this.#key !== undefined && this.#store.findByKey(this.#key)) throw new Refusal(409, 'in progress');
			return 'duplicate key';
		}
		yield;
		if (!this.#planted.markBeforeInsert) closed = this.#store.marks.has(slot.service_id);
		if (closed) yield* this.#deleteWithService();
		return 'written';
	}

	/** Its client is told that it was made. */
	*#deleteWithService(): Work {
		yield;
		const { document } = this;
		this.#store.close(document.id, document.service_id);
		if (this.#planted.undoFreesKey) {
			yield;
			this.#store.freeKey(document.id);
		}
	}

	#build(id: number, seat: number, slot: TimeSlot): Document {
		const { customer_name, customer_email, customer_phone } = this.#body;
		const customer = {
			id,
			name: customer_name ?? null,
			email: customer_email ?? null,
			phone: customer_phone ?? null,
			created_at: '',
			updated_at: '',
		};
		const document: Document = {
			id,
			service_id: slot.service_id,
			time_slot_id: slot.id,
			date: this.date,
			slot,
			status: 'pending',
			cancel_reason: null,
			expires_at: this.#body.hold_minutes == null ? null : 'held',
			over: false,
			message: this.#body.message ?? null,
			customer,
			place: occurrenceName(slot.id, this.date),
			seat,
			customer_key: this.customerKey ?? filler(id),
			key: this.#key ?? filler(id),
			firstAnswer: undefined,
			version: 1,
			deleted: false,
			outbox: [],
			begun: this.#begun,
		};
		document.firstAnswer = toBooking(document);
		document.outbox = [eventOf('booking.created', document)];
		return document;
	}
}
