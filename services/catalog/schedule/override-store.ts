import { LRUCache } from 'lru-cache';
import type { DateOverride } from '../../../shared/contract/schemas/date-override.ts';
import { among, ofAccounts } from '../../../shared/store/account-scope.ts';
import type { Counter } from '../../../shared/store/counter.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import type { ServiceDocument, ServiceModel } from '../service.model.ts';

/** Overrides that are remembered, of all services: about 20 MB */
const REMEMBERED = 100_000;

type Owner = Pick<ServiceDocument, '_id' | 'account_id' | 'overrides_version' | 'generation'>;

/** All of a service's, as of one moment. */
export interface Overrides {
	/** 0 where there never was any */
	version: number;
	overrides: readonly DateOverride[];
}

const NONE: Overrides = { version: 0, overrides: [] };
const CONTENT = { account_id: 1, overrides: 1, overrides_version: 1 } as const;

/**
 * Every read and write of date overrides. They are a field of their service, which only this reads, so that one write changes
 * all that a booking is decided by. Each change has a version of its own; so what was read under a version is as good as read
 * anew where the service still has it.
 */
export class OverrideStore {
	readonly #model: ServiceModel;
	readonly #ids: Counter;
	readonly #known = new LRUCache<number, Overrides>({
		maxSize: REMEMBERED,
		sizeCalculation: ({ overrides }) => 1 + overrides.length,
	});

	constructor(model: ServiceModel, ids: Counter) {
		this.#model = model;
		this.#ids = ids;
	}

	nextId(): Promise<number> {
		return this.#ids.nextIds(1);
	}

	/** Those of services that were read just now, as of then or of a moment later, by service. */
	async of(services: readonly Owner[]): Promise<Map<number, Overrides>> {
		const found = new Map<number, Overrides>();
		const unknown: Owner[] = [];
		for (const service of services) {
			const { _id, overrides_version: version = 0 } = service;
			const known = version === 0 ? NONE : this.#known.get(_id);
			if (known?.version === version) found.set(_id, known);
			else unknown.push(service);
		}
		for (const [id, read] of await this.#read(unknown)) {
			this.#known.set(id, read);
			found.set(id, read);
		}
		return found;
	}

	async ofService(service: Owner): Promise<Overrides> {
		return (await this.of([service])).get(service._id) ?? NONE;
	}

	/** Stores what a change leaves. @returns false where the service is gone, or its overrides or its slots are not any more those that were read */
	async replace(
		{ _id, account_id, generation }: Owner,
		{ version }: Overrides,
		overrides: readonly DateOverride[],
		now: string,
	): Promise<boolean> {
		const overrides_version = version === 0 ? null : version;
		const asRead = { _id, account_id, deleted_at: null, overrides_version, generation: generation ?? null };
		const changed = { overrides, overrides_version: version + 1, overrides_changed_at: now };
		return (await this.#model.updateOne(asRead as object, { $set: changed })).matchedCount === 1;
	}

	async #read(services: readonly Owner[]): Promise<[id: number, Overrides][]> {
		if (services.length === 0) return [];
		const filter = { _id: among(services.map(({ _id }) => _id)), ...ofAccounts(services) };
		const rows = await findPlain(this.#model, filter, { projection: CONTENT });
		return rows.map(({ _id, overrides = [], overrides_version: version = 0 }) => [_id, { version, overrides }]);
	}
}
