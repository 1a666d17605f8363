import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSource } from 'oazapfts';
import { catalogue, faultCodes } from '../../shared/contract/errors.ts';
import type { Reference } from './reference.ts';

const HEAD = `/* Made from the OpenAPI document by \`npm run generate:clients\`; do not edit. */
import { runtime, QS, type RequestOpts } from './runtime.ts';

const oazapfts = runtime();
`;

/** The source of `clients/typescript/src/api.ts`: a type for each schema, a function for each operation. */
export async function typescriptApi(reference: Reference): Promise<string> {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-generate-'));
	try {
		const file = join(directory, 'openapi.json');
		writeFileSync(file, JSON.stringify(reference));
		// Arguments by name: a parameter that is added changes no call.
		const source = await generateSource(file, { argumentStyle: 'object', futureStripLegacyMethods: true });
		return HEAD + withOurNames(source.slice(source.indexOf('export type'))) + lists(reference);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Every body is `body`, as the caller sees it, not the name of its type; and `from` needs no `$`. */
function withOurNames(source: string): string {
	return source
		.replaceAll(/(\w+) \}: \{\n((?: {4}.*\n)*?) {4}\1: ([A-Z]\w+);\n/g, 'body }: {\n$2    body: $3;\n')
		.replaceAll(/^ {8}body(?:: \w+)?(,?)$/gm, '        body$1')
		.replaceAll('(opts?: Oazapfts', '(_: object, opts?: Oazapfts')
		.replaceAll('$from', 'from')
		.replaceAll('Oazapfts.RequestOpts', 'RequestOpts');
}

/** What OpenAPI cannot say: which codes there are so far, and which creations take an `Idempotency-Key`. */
function lists({ paths }: Reference): string {
	const keyed = Object.values(paths)
		.flatMap((path) => Object.values(path))
		.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
	return `
/** Codes of errors that there were when this was made; others may come. */
export type ErrorCode = ${union(Object.keys(catalogue))};
/** Likewise, of faults of single fields. */
export type FaultCode = ${union(faultCodes)};
/** What takes an Idempotency-Key, and so can be sent again until an answer comes. */
export const keyed: readonly string[] = ${JSON.stringify(keyed.map(({ operationId }) => operationId))};
`;
}

function union(names: readonly string[]): string {
	return names.map((name) => `\n    | "${name}"`).join('');
}
