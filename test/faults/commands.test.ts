import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keysFor, runCommands } from '../proof/commands/run-commands.ts';
import { anySeed } from '../proof/random.ts';
import { type Product, startProduct } from '../support/product.ts';

/** Sequences; more with COMMAND_RUNS */
const RUNS = Number(process.env.COMMAND_RUNS ?? 200);
const seed = Number(process.env.PROOF_SEED ?? anySeed());

let product: Product;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: keysFor(RUNS) } });
});
afterAll(() => product.stop());

test(
	`T4: Whatever ${RUNS} random clients do, each is answered as the contract says (seed ${seed})`,
	async () => {
		const { sequences, sent, failure } = await runCommands(product, seed, RUNS);
		expect(failure).toBeUndefined();
		expect(sequences).toBe(RUNS);
		expect(sent).toBeGreaterThan(5 * RUNS);
	},
	600_000 + RUNS * 1_500,
);
