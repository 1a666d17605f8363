import type { Context, ServiceBroker } from 'moleculer';
import type { Handlers } from '../../shared/contract/actions.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { KeyedQueue } from '../../shared/engine/keyed-queue.ts';
import { SharedReads } from '../../shared/engine/shared-reads.ts';
import { logFailure } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Periodic } from '../../shared/work/periodic.ts';
import { bookingCounts, type Catalog, Providers, type Request } from './catalog.ts';
import { CatalogStore } from './catalog-store.ts';
import { createService } from './creation/create-service.ts';
import { deleteService } from './delete-service.ts';
import { createFeed, deleteFeed, findFeed, listFeeds } from './feeds/calendar-feeds.ts';
import { areServices, getService, listServices, reportServices } from './read-services.ts';
import { createOverride, deleteOverride, listOverrides, previewOverride } from './schedule/date-overrides.ts';
import { findAnySlot, listOccurrences, listSlots } from './schedule/read-slots.ts';
import { getSchedule, previewSchedule, replaceSchedule } from './schedule/replace-schedule.ts';
import { findSlots } from './schedule/slots-now.ts';
import { previewSlots, updateSlots } from './schedule/update-slots.ts';
import { serviceKey } from './service.model.ts';
import { recover, Sweep } from './sweep.ts';
import { previewService, ServiceUpdates } from './update-service.ts';

/** ms */
const SWEEP_EVERY = 2_000;
/** ms; what is kept for a day is not looked for each time */
const REMOVE_OLD_EVERY = 3_600_000;

/** Services, their time slots, and when these occur. */
export const catalogService: ServiceFactory = ({ store: { connection }, clock, logger }) => {
	const store = new CatalogStore(connection, clock);
	const services = new SharedReads<Service>();
	let catalog: Catalog;
	let updates: ServiceUpdates;
	let sweeps: Periodic;
	const oldRemovals = new Periodic({
		every: REMOVE_OLD_EVERY,
		run: (signal) => store.removals.removeOld(clock.now(), signal),
		failed: (error) => logFailure(logger, error, 'marks of what was removed are kept longer; tried again later'),
	});

	const actions: Handlers<'catalog'> = {
		createService: (ctx) => createService(catalog, ctx.params, requestOf(ctx)),
		listServices: ({ params }) => listServices(catalog, params),
		getService: ({ params }) => services.ask(serviceKey(params), () => getService(catalog, params)),
		updateService: (ctx) => updates.run(ctx.params, requestOf(ctx).deadline),
		previewService: (ctx) => previewService(catalog, ctx.params, requestOf(ctx)),
		deleteService: (ctx) => deleteService(catalog, ctx.params, requestOf(ctx)),
		deletionAnswered: ({ params }) => store.services.deletionAnswered(params),
		removalAnswered: ({ params }) => store.removals.answered(params),
		areServices: ({ params }) => areServices(store, params.services),
		serviceIds: ({ params }) => store.services.ids(params.account_id),
		countServices: ({ params }) => store.services.count(params.account_id),
		listSlots: ({ params }) => listSlots(catalog, params),
		updateSlots: (ctx) => updateSlots(catalog, ctx.params, requestOf(ctx)),
		previewSlots: (ctx) => previewSlots(catalog, ctx.params, requestOf(ctx)),
		getSchedule: ({ params }) => getSchedule(catalog, params),
		replaceSchedule: (ctx) => replaceSchedule(catalog, ctx.params, requestOf(ctx)),
		previewSchedule: (ctx) => previewSchedule(catalog, ctx.params, requestOf(ctx)),
		createOverride: (ctx) => createOverride(catalog, ctx.params, requestOf(ctx)),
		previewOverride: (ctx) => previewOverride(catalog, ctx.params, requestOf(ctx)),
		listOverrides: ({ params }) => listOverrides(catalog, params),
		deleteOverride: (ctx) => deleteOverride(catalog, ctx.params, requestOf(ctx)),
		createFeed: (ctx) => createFeed(catalog, ctx.params, requestOf(ctx)),
		listFeeds: ({ params }) => listFeeds(catalog, params),
		deleteFeed: (ctx) => deleteFeed(catalog, ctx.params, requestOf(ctx)),
		findFeed: ({ params }) => findFeed(catalog, params.hash),
		slots: ({ params }) => findSlots(store, params.slots),
		serviceReports: ({ params }) => reportServices(store, params),
		findService: ({ params }) => store.services.ownerOf(params.service_id),
		findSlot: ({ params }) => findAnySlot(store, params),
		occurrences: ({ params }) => listOccurrences(catalog, params),
	};

	return {
		name: 'catalog',
		actions,
		created(this: { broker: ServiceBroker }) {
			catalog = {
				store,
				providers: new Providers(this.broker, clock),
				bookingCounts: bookingCounts(this.broker),
				keyed: new KeyedQueue(),
				allotting: new KeyedQueue(),
				changes: new KeyedQueue(),
				slotUpdates: new KeyedQueue(),
			};
			updates = new ServiceUpdates(catalog);
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
			oldRemovals.start(REMOVE_OLD_EVERY);
		},
		async stopped() {
			await Promise.all([sweeps.stop(), oldRemovals.stop()]);
		},
	};
};

function requestOf(context: Context<unknown>): Request {
	return { caller: context, deadline: Deadline.of(context as Context) };
}
