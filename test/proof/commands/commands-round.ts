import { startProduct } from '../../support/product.ts';
import { nothing, type Round } from '../round.ts';
import { keysFor, runCommands } from './run-commands.ts';

const SEQUENCES = 60;

/** T4: random sequences of commands against the embedded product. */
export async function commandsRound(seed: number): Promise<Round> {
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: keysFor(SEQUENCES) } });
	try {
		const { sequences, sent, failure } = await runCommands(product, seed, SEQUENCES);
		const summary = { ...nothing, operations: sent, kinds: { sequences } };
		const violations = failure === undefined ? [] : [{ account: 'commands', rule: 'contract' as const, text: failure }];
		return { seed, form: 'commands', slowestReady: 0, history: undefined, summary, violations };
	} finally {
		await product.stop();
	}
}
