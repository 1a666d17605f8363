import type { ServiceKey } from '../../../shared/contract/actions.ts';
import type { ServiceDocument, ServiceModel } from '../service.model.ts';
import type { Replacement, SlotUpdateDocument, SlotUpdateModel } from './slot.model.ts';

type Owned = Pick<ServiceDocument, '_id' | 'account_id'>;

/** What a replacement of a schedule changes in the document of its service. */
export type ServiceChange = Required<
	Pick<ServiceDocument, 'timezone' | 'rules' | 'version' | 'updated_at' | 'schedule_version'>
>;

/** A replacement that was committed, and whose slots are perhaps not yet changed. */
export type Committed = Owned & Required<Pick<ServiceDocument, 'generation' | 'replacement'>>;

/** Every write of the steps of a replacement, but for those of the slots themselves. Each is a compare-and-set. */
export class ReplacementStore {
	readonly #services: ServiceModel;
	readonly #updates: SlotUpdateModel;

	constructor(services: ServiceModel, updates: SlotUpdateModel) {
		this.#services = services;
		this.#updates = updates;
	}

	/**
	 * From here until the replacement is ended nobody else changes slots of the account.
	 * @returns null where anything changed them since `latest` was read
	 */
	async begin(latest: SlotUpdateDocument, service_id: number): Promise<SlotUpdateDocument | null> {
		const next = { sequence: latest.sequence + 1, replacing: service_id };
		const { _id, account_id, sequence } = latest;
		const { matchedCount } = await this.#updates.updateOne(
			{ _id, account_id, sequence, open_since: 0 },
			{ $set: next },
		);
		return matchedCount === 1 ? { ...latest, ...next } : null;
	}

	/** From here on others may change slots again. */
	async end({
		account_id,
		replacing,
		sequence,
	}: Pick<SlotUpdateDocument, 'account_id' | 'replacing' | 'sequence'>): Promise<void> {
		const asBegun = { _id: account_id, account_id, sequence, replacing: replacing! };
		await this.#updates.updateOne(asBegun, { $set: { sequence: sequence + 1, replacing: 0 } });
	}

	/**
	 * The commit: the one write by which a schedule is replaced.
	 * @param before the service as it was read before the replacement was begun
	 * @returns false where the service is not any more as it was, or somebody broke the replacement off
	 */
	async commit(
		before: ServiceDocument,
		{ sequence: generation }: SlotUpdateDocument,
		change: ServiceChange,
		replacement: Replacement,
	): Promise<boolean> {
		const { _id, account_id, version } = before;
		const asRead = {
			...{ _id, account_id, version, deleted_at: null, unfinished: '' },
			schedule_version: before.schedule_version ?? null,
			overrides_version: before.overrides_version ?? null,
			generation: before.generation ?? null,
			broken_off: before.broken_off ?? null,
		};
		const changed = { ...change, generation, replacement, unfinished: 'replacing' };
		return (await this.#services.updateOne(asRead as object, { $set: changed })).matchedCount === 1;
	}

	/**
	 * Keeps a replacement that was begun from being committed, and any that was begun before.
	 * @param service as it was read after the replacement was begun
	 * @returns false where it was committed meanwhile, or somebody else broke it off
	 */
	async breakOff(service: ServiceDocument, { sequence: broken_off }: SlotUpdateDocument): Promise<boolean> {
		const { _id, account_id } = service;
		const asRead = {
			...{ _id, account_id, generation: service.generation ?? null },
			broken_off: service.broken_off ?? null,
		};
		return (await this.#services.updateOne(asRead as object, { $set: { broken_off } })).matchedCount === 1;
	}

	/** What is to be done to the slots of a service whose schedule was replaced; null where that is done. */
	async committed({ account_id, service_id: _id }: ServiceKey): Promise<Committed | null> {
		const content = { account_id: 1, generation: 1, replacement: 1 } as const;
		return this.#services.findOne({ _id, account_id, unfinished: 'replacing' }, content).lean<Committed>();
	}

	/** Whether it is still to be done. */
	async isOpen({ _id, account_id, generation }: Committed): Promise<boolean> {
		return (await this.#services.exists({ _id, account_id, generation, unfinished: 'replacing' })) !== null;
	}

	/** Notes that it is done. */
	async done({ _id, account_id, generation }: Committed): Promise<void> {
		const asCommitted = { _id, account_id, generation, unfinished: 'replacing' as const };
		await this.#services.updateOne(asCommitted, { $set: { unfinished: '' }, $unset: { replacement: 1 } });
	}
}
