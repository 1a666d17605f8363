import { readFileSync } from 'node:fs';
import './global-setup.ts';

const WARNING = 40; // pino's number
const ERROR = 50;

/**
 * Ends the product. No request of the tests may make it log an error: one that does is a bug, whatever was answered.
 * @throws with the lines
 */
export default async function tearDown(): Promise<void> {
	const product = globalThis.slotwiseProduct;
	if (product === undefined) return;
	const logs = product.processes.map((one) => one.logFile);
	await Promise.all(product.processes.map((one) => one.stop()));
	const lines = logs.flatMap((file) =>
		readFileSync(file, 'utf8')
			.split('\n')
			.filter((line) => levelOf(line) >= WARNING),
	);
	await product.stop();
	if (lines.length > 0)
		process.stdout.write(`warnings and errors of the product (${lines.length}):\n${shown(lines)}\n`);
	const errors = lines.filter((line) => levelOf(line) >= ERROR);
	if (errors.length > 0) throw new Error(`the product logged ${errors.length} errors, the first: ${errors[0]}`);
}

function levelOf(line: string): number {
	return Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0);
}

function shown(lines: string[]): string {
	const first = lines.slice(0, 10).map((line) => line.slice(0, 500));
	return [...first, ...(lines.length > 10 ? ['…'] : [])].join('\n');
}
