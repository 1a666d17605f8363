import type { Scoped } from '../../../shared/contract/actions.ts';

/** Counts bookings against accounts' months. */
export interface QuotaCounts {
	/** @returns how many of them the quota allows, and the month (`YYYY-MM`) in which those are counted now */
	reserve(account_id: string, count: number): Promise<{ granted: number; month: string }>;
	refund(account_id: string, count: number, month: string): void;
}

/**
 * What one new booking uses of its account's monthly quota:
 *
 *   wanted  → counted   the queue, before the write, where the quota suffices
 *   counted → kept      the booking: it is written, or may be
 *
 * At the end of the batch the queue gives back what is still `counted`.
 */
export class QuotaUse {
	#state: 'wanted' | 'counted' | 'kept' = 'wanted';
	#month = '';

	/** In which it is counted, `YYYY-MM`; '' where it is not */
	get month(): string {
		return this.#month;
	}

	get isWanted(): boolean {
		return this.#state === 'wanted';
	}

	keep(): void {
		this.#state = 'kept';
	}

	/** Counts all that are wanted, in order. Those that came last stay `wanted` where the quota does not suffice. */
	static async countAll({ account_id }: Scoped, uses: QuotaUse[], counts: QuotaCounts): Promise<void> {
		const wanted = uses.filter((use) => use.isWanted);
		if (wanted.length === 0) return;
		const { granted, month } = await counts.reserve(account_id, wanted.length);
		for (const use of wanted.slice(0, granted)) {
			use.#state = 'counted';
			use.#month = month;
		}
	}

	static giveBack({ account_id }: Scoped, uses: QuotaUse[], counts: QuotaCounts): void {
		const unused = uses.filter((use) => use.#state === 'counted');
		for (const [month, { length }] of Map.groupBy(unused, (use) => use.#month)) {
			counts.refund(account_id, length, month);
		}
	}
}
