import { registerHooks } from 'node:module';

/**
 * Loaded into a process of the product before its own code: the queue of a slot and date goes by those alone, and the
 * account of the first who waits there speaks for all.
 */
const KEY = 'accountKey({ account_id }, occurrenceName';

registerHooks({
	load(url, context, nextLoad) {
		const loaded = nextLoad(url, context);
		if (!url.endsWith('/services/booking/document/keys.ts')) return loaded;
		const source = String(loaded.source);
		if (!source.includes(KEY)) throw new Error(`${url} has no "${KEY}" to sabotage`);
		return { ...loaded, source: source.replace(KEY, "accountKey({ account_id: '' }, occurrenceName") };
	},
});
