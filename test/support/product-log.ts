import { existsSync, readFileSync } from 'node:fs';

/** The file that tells the workers of a run about the product that it shares (`shared-product.ts`) */
const { TEST_PRODUCT: shared } = process.env;

/** The lines of the shared product's logs that name a request; undefined where a test has a product of its own. */
export function linesOf(requestId: string): string[] | undefined {
	if (shared === undefined || !existsSync(shared)) return undefined;
	const { logFiles } = JSON.parse(readFileSync(shared, 'utf8')) as { logFiles: string[] };
	return logFiles.flatMap((file) =>
		readFileSync(file, 'utf8')
			.split('\n')
			.filter((line) => line.includes(requestId)),
	);
}
