import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/** Wherever a source's text ends up, it finds the files beside it. */
const places: Plugin = {
	name: 'places of sources',
	transform: {
		filter: { id: /\.ts$/, code: 'import.meta' },
		handler: (code, file) =>
			code
				.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
				.replaceAll('import.meta.dirname', JSON.stringify(dirname(file)))
				.replace(/import\.meta\.resolve\(('[^']+')\)/g, '`file://$${require.resolve($1)}`'),
	},
};

/**
 * Makes one CommonJS file of the product's own sources in `root`, which the simulator evaluates anew for each process.
 * Packages stay outside.
 * @returns the file
 */
export async function bundleProduct(root: string): Promise<string> {
	const { rolldown } = await import('rolldown');
	const directory = join(root, 'node_modules/.cache/slotwise-simulator');
	mkdirSync(directory, { recursive: true });
	const bundle = await rolldown({
		input: join(root, 'test/simulator/product.ts'),
		platform: 'node',
		external: (name) => !/^[./]/.test(name),
		plugins: [places],
		logLevel: 'silent',
	});
	const file = join(directory, 'product.cjs');
	await bundle.write({ file, format: 'cjs', codeSplitting: false } as never);
	await bundle.close();
	return file;
}
