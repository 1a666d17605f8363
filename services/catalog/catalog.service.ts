import type { Context, ServiceBroker } from 'moleculer';
import type { Handlers } from '../../shared/actions.ts';
import type { Service } from '../../shared/api/service.ts';
import { Deadline } from '../../shared/deadline.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import { logFailure } from '../../shared/log-failure.ts';
import { Periodic } from '../../shared/periodic.ts';
import type { ServiceFactory } from '../../shared/runtime/dependencies.ts';
import { SharedReads } from '../../shared/shared-reads.ts';
import { areServices } from './are-services.ts';
import { bookingCounts } from './booking-counts.ts';
import { type Catalog, type Request, serviceKey } from './catalog.ts';
import { CatalogStore } from './catalog-store.ts';
import { countServices } from './count-services.ts';
import { createService } from './create-service.ts';
import { deleteService, noteDeletionAnswered } from './delete-service.ts';
import { findAnyService } from './find-any-service.ts';
import { findAnySlot } from './find-any-slot.ts';
import { findSlots } from './find-slots.ts';
import { getService } from './get-service.ts';
import { listOccurrences } from './list-occurrences.ts';
import { listServices } from './list-services.ts';
import { listSlots } from './list-slots.ts';
import { Providers } from './providers.ts';
import { ServiceUpdates } from './service-updates.ts';
import { slotsTogether } from './slots-together.ts';
import { recover, Sweep } from './sweep.ts';
import { updateService } from './update-service.ts';
import { updateSlots } from './update-slots.ts';

/** ms */
const SWEEP_EVERY = 2_000;

/** Services, their time slots, and when these occur. */
export const catalogService: ServiceFactory = ({ store: { connection }, clock, logger }) => {
	const store = new CatalogStore(connection, clock);
	const services = new SharedReads<Service>();
	let catalog: Catalog;
	let sweeps: Periodic;

	const actions: Handlers<'catalog'> = {
		createService: (ctx) => createService(catalog, ctx.params, requestOf(ctx)),
		listServices: ({ params }) => listServices(catalog, params),
		getService: ({ params }) => services.ask(serviceKey(params), () => getService(catalog, params)),
		updateService: (ctx) => updateService(catalog, ctx.params, requestOf(ctx)),
		deleteService: (ctx) => deleteService(catalog, ctx.params, requestOf(ctx)),
		deletionAnswered: ({ params }) => noteDeletionAnswered(store, params),
		areServices: ({ params }) => areServices(store, params.services),
		countServices: ({ params }) => countServices(store, params.account_id),
		listSlots: ({ params }) => listSlots(catalog, params),
		updateSlots: (ctx) => updateSlots(catalog, ctx.params, requestOf(ctx)),
		slots: ({ params }) => findSlots(store, params.slots),
		slotsTogether: ({ params }) => slotsTogether(catalog, params),
		findService: ({ params }) => findAnyService(store, params.service_id),
		findSlot: ({ params }) => findAnySlot(store, params.time_slot_id),
		occurrences: ({ params }) => listOccurrences(catalog, params),
	};

	return {
		name: 'catalog',
		actions,
		created(this: { broker: ServiceBroker }) {
			const changes = new KeyedQueue();
			catalog = {
				store,
				providers: new Providers(this.broker, clock),
				bookingCounts: bookingCounts(this.broker),
				keyed: new KeyedQueue(),
				placing: new KeyedQueue(),
				changes,
				updates: new ServiceUpdates(store, changes),
				slotUpdates: new KeyedQueue(),
			};
			const sweep = new Sweep(store, this.broker);
			sweeps = new Periodic({
				every: SWEEP_EVERY,
				run: (signal) => sweep.run(signal),
				failed: (error) => logFailure(logger, error, 'sweep of the catalog failed, it will be repeated'),
			});
		},
		async started() {
			await store.prepare();
			await recover(store);
			sweeps.start(SWEEP_EVERY);
		},
		async stopped() {
			await sweeps.stop();
		},
	};
};

function requestOf(context: Context<unknown>): Request {
	return { caller: context, deadline: Deadline.of(context as Context) };
}
