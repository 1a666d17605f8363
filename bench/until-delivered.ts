import type { Product } from '../test/support/product.ts';
import { until } from '../test/support/until.ts';

/**
 * Waits until every change has reached the event log: an answer that leaves work for later is not finished.
 * @returns ms that it took
 */
export async function untilDelivered({ of }: Product): Promise<number> {
	const began = performance.now();
	const none = async () => {
		const waiting = await Promise.all(of('booking').map(({ adminUrl }) => outboxOf(adminUrl)));
		return waiting.every((count) => count === 0);
	};
	await until(none, { timeout: 120_000, interval: 100, what: 'the last event to be in the log' });
	return performance.now() - began;
}

async function outboxOf(adminUrl: string): Promise<number> {
	const text = await (await fetch(`${adminUrl}/metrics`)).text();
	return Number(/^slotwise_outbox_waiting(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]);
}
