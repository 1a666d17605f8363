import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/** Wherever a bundle puts a source's text, it finds the files beside it. */
export const placesOfSources: Plugin = {
	name: 'places of sources',
	transform: {
		filter: { id: /\.ts$/, code: 'import.meta' },
		handler: (code, file) =>
			code
				.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
				.replaceAll('import.meta.dirname', JSON.stringify(dirname(file))),
	},
};
