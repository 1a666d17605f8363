import type { CatalogStore } from '../../services/catalog/catalog-store.ts';

/** The store, with something that happens once slots were read and before their services are. */
export function between(store: CatalogStore, happens: () => Promise<void>): CatalogStore {
	let isDone = false;
	const services = Object.create(store.services) as CatalogStore['services'];
	services.now = async (keys) => {
		if (!isDone) {
			isDone = true;
			await happens();
		}
		return store.services.now(keys);
	};
	return Object.assign(Object.create(store) as CatalogStore, { services });
}
