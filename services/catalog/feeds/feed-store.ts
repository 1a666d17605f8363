import type { Connection, Model } from 'mongoose';
import type { ServiceKey } from '../../../shared/contract/actions.ts';
import { MOST_FEEDS } from '../../../shared/contract/schemas/calendar-feed.ts';
import type { Counter } from '../../../shared/store/counter.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { modelOf, number, text } from '../../../shared/store/model.ts';
import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';

/** A calendar feed. Its token is stored nowhere. A unique index holds that a service has no more of them than it may. */
export interface FeedRow {
	_id: number;
	account_id: string;
	service_id: number;
	/** SHA-256 of the token, hex */
	hash: string;
	/** Its allotment: `<service>:<number>`, 0 to 9 */
	place: string;
	include_customers: boolean;
	created_at: string;
}

export const feedModel = modelOf<FeedRow>('CalendarFeed', 'calendar_feeds', {
	fields: {
		_id: number,
		account_id: text,
		service_id: number,
		hash: text,
		place: text,
		include_customers: { type: Boolean, required: true },
		created_at: text,
	},
	unique: { hash: { hash: 1 }, place: { place: 1 } },
	indexes: { of_service: { account_id: 1, service_id: 1, _id: 1 } },
});

/** Every read and write of calendar feeds. Whose a token is, is to be found out: that read is an exception of promise A5. */
export class FeedStore {
	readonly model: Model<FeedRow>;
	readonly #ids: Counter;

	constructor(connection: Connection, ids: Counter) {
		this.model = feedModel(connection);
		this.#ids = ids;
	}

	nextId(): Promise<number> {
		return this.#ids.nextIds(1);
	}

	/** All of a service's, by id. */
	ofService({ account_id, service_id }: ServiceKey): Promise<FeedRow[]> {
		return findPlain(this.model, { account_id, service_id }, { sort: { _id: 1 }, hint: 'of_service' });
	}

	/** @param hash SHA-256 of the token, hex */
	byHash(hash: string): Promise<FeedRow | null> {
		return this.model.findOne({ hash }, {}, { everyAccount: true }).lean<FeedRow>();
	}

	/** An allotment that no feed of the service has; undefined where each is taken. */
	async freePlace(service: ServiceKey): Promise<string | undefined> {
		const taken = new Set((await this.ofService(service)).map(({ place }) => place));
		const places = Array.from({ length: MOST_FEEDS }, (_, at) => `${service.service_id}:${at}`);
		return places.find((place) => !taken.has(place));
	}

	/** @returns false where another feed has its allotment by now */
	async insert(feed: FeedRow): Promise<boolean> {
		try {
			await retryDeadlock(() => this.model.insertMany([feed], { lean: true }));
			return true;
		} catch (error) {
			if (isDuplicateKey(error)) return false;
			throw error;
		}
	}

	async has({ account_id, service_id }: ServiceKey, _id: number): Promise<boolean> {
		return (await this.model.exists({ _id, account_id, service_id })) !== null;
	}

	/** @returns false where the service has no such feed */
	async remove({ account_id, service_id }: ServiceKey, _id: number): Promise<boolean> {
		return (await this.model.deleteOne({ _id, account_id, service_id })).deletedCount === 1;
	}

	async removeAll({ _id: service_id, account_id }: { _id: number; account_id: string }): Promise<void> {
		await this.model.deleteMany({ account_id, service_id });
	}
}
