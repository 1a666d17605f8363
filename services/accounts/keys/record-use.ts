import type { Model } from 'mongoose';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { logFailure } from '../../../shared/log/log.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { KeyRow } from './key.model.ts';

const INTERVAL = 60_000; // ms

/** Writes when a key was last used: beside the request that used it, never delaying or failing it. */
export class UseRecorder {
	readonly #keys: Model<KeyRow>;
	readonly #clock: Clock;
	readonly #logger: Logger;
	readonly #underWay = new Map<string, Promise<void>>();

	constructor(keys: Model<KeyRow>, clock: Clock, logger: Logger) {
		this.#keys = keys;
		this.#clock = clock;
		this.#logger = logger;
	}

	/**
	 * At most one write a minute and key, over all processes (promise A3): the write asks for the time that was read.
	 * @param key as it was read just now
	 */
	record(key: KeyRow): void {
		const now = this.#clock.now();
		const last = key.last_used_at === null ? Number.NEGATIVE_INFINITY : Date.parse(key.last_used_at);
		if (now - last < INTERVAL || this.#underWay.has(key._id)) return;
		const { _id, account_id, last_used_at } = key;
		const change = { $set: { last_used_at: timestamp(now) } };
		const written = withoutDeadline(() => this.#keys.updateOne({ _id, account_id, last_used_at }, change).exec())
			.then(
				() => undefined,
				(error: unknown) => logFailure(this.#logger, error, 'last use of a key not recorded', { key_id: _id }),
			)
			.finally(() => this.#underWay.delete(_id));
		this.#underWay.set(_id, written);
	}

	/** Waits for the writes that are under way. */
	async settled(): Promise<void> {
		await Promise.all(this.#underWay.values());
	}
}
