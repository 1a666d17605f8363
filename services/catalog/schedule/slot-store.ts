import type { Connection } from 'mongoose';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { OccurrenceKey, Scoped, ServiceKey, SlotKey } from '../../../shared/contract/actions.ts';
import { matchOwned } from '../../../shared/engine/by-account.ts';
import { among, ofAccounts } from '../../../shared/store/account-scope.ts';
import { boundedCount } from '../../../shared/store/bounded-count.ts';
import type { Counter } from '../../../shared/store/counter.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { insertNew } from '../../../shared/store/insert-new.ts';
import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { PageWindow } from '../page-window.ts';
import type { ServiceDocument } from '../service.model.ts';
import {
	type Replacement,
	type SlotChange,
	type SlotDocument,
	type SlotModel,
	type SlotState,
	type SlotUpdateDocument,
	type SlotUpdateModel,
	slotModel,
	slotUpdateModel,
	withUpdate,
} from './slot.model.ts';

type Owner = Pick<ServiceDocument, '_id' | 'account_id'>;

/** The slots of an account, or of one of its services. */
export interface Part {
	account_id: string;
	service_id?: number | undefined;
}

/** A slot of a service that is not yet, or was never, created. */
export type NewSlot = Pick<SlotDocument, '_id' | 'account_id' | 'service_id'>;

/** Which slot is asked for. */
type Wanted = SlotKey & Pick<OccurrenceKey, 'retired'>;

/** Slots that one change of many writes at once: half of the connections are left to everybody else. */
const CHANGES_AT_ONCE = 25;

/** Every read and write of time slots, and of the bulk updates that change them. */
export class SlotStore {
	readonly model: SlotModel;
	readonly updates: SlotUpdateModel;
	readonly #ids: Counter;

	constructor(connection: Connection, ids: Counter) {
		this.model = slotModel(connection);
		this.updates = slotUpdateModel(connection);
		this.#ids = ids;
	}

	/** @returns the first of `count` consecutive ids */
	nextIds(count: number): Promise<number> {
		return this.#ids.nextIds(count);
	}

	/**
	 * Slots as they are now, in the order asked: those of a call, which booking has gathered already. Null where there is
	 * none, where it is not active (nor retired, where those are asked for), or where it is another account's.
	 */
	async find(keys: Wanted[]): Promise<(SlotDocument | null)[]> {
		let slots = await this.#readAll(keys);
		const marked = slots.filter((slot) => slot.in_update);
		if (marked.length > 0) {
			// In this order: what was committed before the updates are read is either in them or in the slots.
			const updates = await this.#updatesOf(marked.map((slot) => slot.account_id));
			slots = updates.reduce(withUpdate, await this.#readAll(keys));
		}
		const idOf = (key: SlotKey) => key.time_slot_id;
		const found = matchOwned(keys, idOf, slots, (slot) => slot._id);
		return found.map((slot, index) => (slot?.state === 'retired' && !keys[index]!.retired ? null : slot));
	}

	/** The active slots among these, as they are stored. */
	pick(part: Part, ids: number[]): Promise<SlotDocument[]> {
		return findPlain(this.model, { ...active(part), _id: { $in: ids } });
	}

	/** The active slots by id, as they are stored. @param window all of them where it is left out */
	list(part: Part, window?: PageWindow): Promise<SlotDocument[]> {
		if (window === undefined) return findPlain(this.model, active(part), { sort: { _id: 1 } });
		const { after, skip, limit } = window;
		return findPlain(this.model, { ...active(part), _id: { $gt: after } }, { sort: { _id: 1 }, skip, limit });
	}

	/** Active slots; exact up to 10,000. */
	count(part: Part): Promise<number> {
		return boundedCount(this.model, active(part), accountKey(part, part.service_id ?? 'all'));
	}

	/** The account that an active or retired slot belongs to, for operators, who know only its id. */
	ownerOf(time_slot_id: number): Promise<Scoped | null> {
		const there = { _id: time_slot_id, state: { $in: ['active', 'retired'] satisfies SlotState[] } };
		return this.model.findOne(there, { _id: 0, account_id: 1 }, { everyAccount: true }).lean<Scoped>();
	}

	async insert(slots: SlotDocument[]): Promise<void> {
		await this.model.insertMany(slots, { ordered: false, lean: true });
	}

	/** The service is created: its new slots become active. */
	activate(service: Owner): Promise<void> {
		return this.#advance(service, 'new', 'active');
	}

	/**
	 * The service is deleted: from here no slot of it is listed or booked. First the new ones, then the active ones: a slot
	 * that somebody else makes active meanwhile is then met by the second write; a single write over both might miss it.
	 */
	async dismiss(service: Owner): Promise<void> {
		await this.#advance(service, 'new', 'gone');
		await this.#advance(service, 'active', 'gone');
	}

	/** The slots that `dismiss` left, by id. */
	gone({ _id, account_id }: Owner): Promise<SlotDocument[]> {
		return findPlain(this.model, { account_id, service_id: _id, state: 'gone' }, { sort: { _id: 1 } });
	}

	/** Removes the documents of a service's slots that are in one of these states. */
	async remove({ _id, account_id }: Owner, ...states: ('new' | 'retired' | 'gone')[]): Promise<void> {
		await this.model.deleteMany({ account_id, service_id: _id, state: { $in: states } });
	}

	/** Ids of a service's slots that are still new. */
	async newOnes({ account_id, service_id }: ServiceKey): Promise<number[]> {
		const stillNew = { account_id, service_id, state: 'new' as const };
		return (await findPlain(this.model, stillNew, { projection: { _id: 1 } })).map(({ _id }) => _id);
	}

	/** Removes those of them that still are. */
	async removeNew(account_id: string, ids: number[]): Promise<void> {
		await this.model.deleteMany({ _id: { $in: ids }, account_id, state: 'new' });
	}

	/** New slots of every account, the oldest first, for the sweep. */
	leftNew(most: number): Promise<NewSlot[]> {
		const oldest = { sort: { created_at: 1 }, limit: most, everyAccount: true };
		return this.model.find({ state: 'new' }, { account_id: 1, service_id: 1 }, oldest).lean<NewSlot[]>();
	}

	/** Slots of every account that were retired, or looked at, until a moment (ms), those of one service; the oldest first. */
	async retiredUntil(moment: number, most: number): Promise<NewSlot[]> {
		const filter = { retired_at: { $gt: 0, $lte: moment } };
		const oldest = { sort: { retired_at: 1 }, limit: most, everyAccount: true } as const;
		const found = await this.model.find(filter, { account_id: 1, service_id: 1 }, oldest).lean<NewSlot[]>();
		return found.filter(({ service_id }) => service_id === found[0]!.service_id);
	}

	/** Removes retired slots. */
	async removeRetired(account_id: string, ids: number[]): Promise<void> {
		await this.model.deleteMany({ _id: { $in: ids }, account_id, state: 'retired' });
	}

	/** Notes that retired slots were looked at. @param now ms */
	async keepRetired(account_id: string, ids: number[], now: number): Promise<void> {
		await this.model.updateMany({ _id: { $in: ids }, account_id, state: 'retired' }, { $set: { retired_at: now } });
	}

	/** Marks slots that a bulk update is about to change, so that whoever reads one of them looks for the update. */
	async mark(account_id: string, ids: number[]): Promise<void> {
		const filter = { _id: { $in: ids }, account_id };
		await retryDeadlock(() => this.model.updateMany(filter, { $set: { in_update: true } }));
	}

	/** Carries out the changes of a committed bulk update, some at a time. */
	async changeAll(account_id: string, changes: readonly SlotChange[]): Promise<void> {
		for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
			const some = changes.slice(at, at + CHANGES_AT_ONCE);
			await Promise.all(some.map((change) => this.#change(account_id, change)));
		}
	}

	/** Carries out one change, unless it has been: compare-and-set on the slot's revision. */
	async #change(account_id: string, { slot_id, revision, set }: SlotChange): Promise<void> {
		const changed = { ...set, revision: revision + 1, in_update: false };
		await retryDeadlock(() => this.model.updateOne({ _id: slot_id, account_id, revision }, { $set: changed }));
	}

	/** Inserts the slots that a new schedule adds, except those that are there. Nobody is shown a new slot. */
	async add({ added }: Replacement): Promise<void> {
		await insertNew(this.model, added);
	}

	/**
	 * Carries out what a committed replacement does to slots, once those that it adds are there. Each step is done once,
	 * however often it is tried: every change is of a slot as it was before.
	 * @param now ms
	 */
	async replace({ _id, account_id }: Owner, generation: number, replacement: Replacement, now: number): Promise<void> {
		const { before, changed, retired, added } = replacement;
		await Promise.all([
			this.#move(account_id, retired, { from: 'active', to: 'retired', retired_at: now }),
			this.#move(
				account_id,
				added.map((slot) => slot._id),
				{ from: 'new', to: 'active' },
			),
			this.changeAll(account_id, changed),
		]);
		const others = { account_id, service_id: _id, state: 'active', generation: before === 0 ? null : before };
		await retryDeadlock(() => this.model.updateMany(others as object, { $set: { generation } }));
	}

	/** The account's bulk updates as they are now; null where it never had one. */
	async latestUpdate(account_id: string): Promise<SlotUpdateDocument | null> {
		return (await this.#updatesOf([account_id]))[0] ?? null;
	}

	/** Makes the document of an account that never had a bulk update, unless another process was first. */
	async firstUpdate(account_id: string): Promise<SlotUpdateDocument> {
		const first: SlotUpdateDocument = { _id: account_id, account_id, sequence: 0, changes: [], open_since: 0 };
		await insertNew(this.updates, [first]);
		return first;
	}

	/** @returns false where another update was committed since `latest` was read */
	async commitUpdate(latest: SlotUpdateDocument, next: Partial<SlotUpdateDocument>): Promise<boolean> {
		const { _id, account_id, sequence } = latest;
		const asRead = { _id, account_id, sequence, open_since: 0 };
		return (await this.updates.updateOne(asRead, { $set: next })).matchedCount === 1;
	}

	/** Notes that every change of the update was carried out. */
	async updateDone({ _id, account_id, sequence }: SlotUpdateDocument): Promise<void> {
		await this.updates.updateOne({ _id, account_id, sequence }, { $set: { changes: [], open_since: 0 } });
	}

	/** Updates of every account that are committed and not carried out, for the sweep. */
	committedUpdates(most: number): Promise<SlotUpdateDocument[]> {
		const some = { limit: most, everyAccount: true };
		return this.updates.find({ open_since: { $gt: 0 } }, {}, some).lean<SlotUpdateDocument[]>();
	}

	async #advance({ _id, account_id }: Owner, from: SlotState, to: SlotState): Promise<void> {
		const filter = { account_id, service_id: _id, state: from };
		await retryDeadlock(() => this.model.updateMany(filter, { $set: { state: to } }));
	}

	async #move(
		account_id: string,
		ids: number[],
		{ from, to, ...more }: { from: SlotState; to: SlotState; retired_at?: number },
	): Promise<void> {
		if (ids.length === 0) return;
		const filter = { _id: { $in: ids }, account_id, state: from };
		await retryDeadlock(() => this.model.updateMany(filter, { $set: { state: to, ...more } }));
	}

	#updatesOf(account_ids: string[]): Promise<SlotUpdateDocument[]> {
		return findPlain(this.updates, { _id: among(account_ids), account_id: among(account_ids) });
	}

	#readAll(keys: Wanted[]): Promise<SlotDocument[]> {
		return findPlain(this.model, {
			_id: among(keys.map((key) => key.time_slot_id)),
			...ofAccounts(keys),
			state: keys.some(({ retired }) => retired) ? { $in: ['active', 'retired'] } : 'active',
		});
	}
}

function active({ account_id, service_id }: Part) {
	return { account_id, ...(service_id !== undefined && { service_id }), state: 'active' as const };
}
