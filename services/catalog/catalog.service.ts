import type { Context, ServiceBroker } from 'moleculer';
import type { Handlers } from '../../shared/contract/actions.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { KeyedQueue } from '../../shared/engine/keyed-queue.ts';
import { SharedReads } from '../../shared/engine/shared-reads.ts';
import { logFailure } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Periodic } from '../../shared/work/periodic.ts';
import { areServices } from './are-services.ts';
import { bookingCounts } from './booking-counts.ts';
import { type Catalog, type Request, serviceKey } from './catalog.ts';
import { CatalogStore } from './catalog-store.ts';
import { countServices } from './count-services.ts';
import { createService } from './creation/create-service.ts';
import { deleteService, noteDeletionAnswered } from './delete-service.ts';
import { findAnyService } from './find-any-service.ts';
import { listServices } from './list-services.ts';
import { Providers } from './providers.ts';
import { getService } from './read-services.ts';
import { findAnySlot } from './schedule/find-any-slot.ts';
import { listOccurrences } from './schedule/list-occurrences.ts';
import { listSlots } from './schedule/list-slots.ts';
import { findSlots } from './schedule/read-slots.ts';
import { slotsTogether } from './schedule/slots-together.ts';
import { updateSlots } from './schedule/update-slots.ts';
import { ServiceUpdates } from './service-updates.ts';
import { recover, Sweep } from './sweep.ts';
import { updateService } from './update-service.ts';

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
