import { readFileSync } from 'node:fs';
import type { Product } from './product.ts';

const TRIES = 5;

/**
 * Runs something that holds while Redis answers. On a machine that does much else it may not, within 50 ms, and gateways
 * then limit on their own, as they should: what was seen meanwhile proves nothing, so it is run again.
 * @throws where there was no run without it
 */
export async function undisturbed<T>(product: Product, run: () => Promise<T>): Promise<T> {
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const before = timesAlone(product);
		const result = await run();
		if (timesAlone(product) === before && !isAlone(product)) return result;
	}
	throw new Error(`a gateway missed Redis in each of ${TRIES} runs: this machine is too busy`);
}

/** How often gateways said that Redis is away. */
export function timesAlone(product: Product): number {
	return logs(product).reduce((sum, log) => sum + log.split(AWAY).length - 1, 0);
}

/** Whether one of them limits on its own now. */
export function isAlone(product: Product): boolean {
	return logs(product).some((log) => log.lastIndexOf(AWAY) > log.lastIndexOf(BACK));
}

function logs(product: Product): string[] {
	return product.of('gateway').map((one) => readFileSync(one.logFile, 'utf8'));
}

const AWAY = 'this gateway limits rates on its own';
const BACK = 'rates are limited over all gateways again';
