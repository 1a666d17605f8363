import type { Connection, Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { Scoped, ServiceKey } from '../../../shared/contract/actions.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { matchOwned } from '../../../shared/engine/by-account.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import { accountScope, among, ofAccounts } from '../../../shared/store/account-scope.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { schemaOptions } from '../../../shared/store/model.ts';
import { isDuplicateKey } from '../../../shared/store/write-errors.ts';

/**
 * The mark that a service is deleted; it stays. Whoever inserts a booking, or moves one to the service, looks for it
 * afterwards and takes the booking out again: either the closing saw the booking, or its creator sees the mark; where that one died, the sweep does. It
 * carries the slots as they were, for the events of bookings that do not say what they were promised.
 */
export interface ClosureDocument extends Scoped {
	/** The service's id */
	_id: number;
	slots: TimeSlot[];
	/** Of the service; missing in what an earlier version wrote */
	timezone?: string;
	closed_at: string;
}

type ClosureModel = Model<ClosureDocument>;

const schema = new Schema<ClosureDocument>(
	{
		_id: { type: Number, required: true },
		account_id: { type: String, required: true },
		timezone: String,
		slots: { type: [Schema.Types.Mixed] as never, default: [] },
		closed_at: { type: String, required: true },
	},
	schemaOptions,
);
schema.plugin(accountScope);

export function closureModel(connection: Connection): ClosureModel {
	return connection.model<ClosureDocument>('Closure', schema, 'closures');
}

/** Every read and write of closure marks. */
export class Closures {
	readonly model: ClosureModel;
	readonly #closed = new Gatherer<ServiceKey, boolean>((keys) => this.#areClosed(keys));

	constructor(model: ClosureModel) {
		this.model = model;
	}

	/** Marks a service. A mark that is there already stays as it is. */
	async mark(mark: ClosureDocument): Promise<void> {
		await this.model.insertMany([mark], { lean: true }).catch((error: unknown) => {
			if (!isDuplicateKey(error)) throw error;
		});
	}

	isClosed(account_id: string, service_id: number): Promise<boolean> {
		return this.#closed.ask({ account_id, service_id });
	}

	/** The marks of these services, of every account's. */
	ofServices(service_ids: number[]): Promise<ClosureDocument[]> {
		return this.model.find({ _id: { $in: service_ids } }, {}, { everyAccount: true }).lean<ClosureDocument[]>();
	}

	async #areClosed(keys: ServiceKey[]): Promise<boolean[]> {
		const filter = {
			_id: among(keys.map((key) => key.service_id)),
			...ofAccounts(keys),
		};
		const marks = await findPlain(this.model, filter, { projection: { account_id: 1 } });
		const idOf = (key: ServiceKey) => key.service_id;
		return matchOwned(keys, idOf, marks, (mark) => mark._id).map((mark) => mark !== null);
	}
}
