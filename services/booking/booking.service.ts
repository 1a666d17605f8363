import type { ServiceBroker } from 'moleculer';
import type { Caller } from '../../shared/bus/call.ts';
import { accountKey } from '../../shared/contract/actions/common.ts';
import type { Handlers, Result } from '../../shared/contract/actions.ts';
import { SharedReads } from '../../shared/engine/shared-reads.ts';
import { bookingMetrics } from '../../shared/metrics/backlog-metrics.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { auditPage } from './audit/audit-bookings.ts';
import { type BookingEngine, bookingEngine } from './booking-engine.ts';
import { type ServiceSource, serviceSource } from './catalog-source.ts';
import { closeService } from './close-service.ts';
import { createBooking } from './create-booking.ts';
import { deleteBooking } from './delete-booking.ts';
import { BookingStore } from './document/booking-store.ts';
import { erasePerson, releaseErased } from './erase-person.ts';
import { findAlternatives } from './find-alternatives.ts';
import { showBooking, showOccurrence, showOutbox, showQueues } from './operator-reports.ts';
import { countBookings, getBooking, getCustomer, listBookings, showListed } from './read-bookings.ts';
import { showAvailability } from './show-availability.ts';
import { listCalendar, showCalendar } from './show-calendar.ts';
import { showImpact } from './show-impact.ts';
import { bookingsOfPerson, toldOfPerson } from './show-person.ts';
import { updateBooking, updateCustomer } from './update-booking.ts';

/**
 * Bookings with their customers. What one holds in each of its states is told in `document/states.ts`, why an occurrence
 * is never overbooked in `seats/capacity.ts`, how claims get there in `seats/seat-queue.ts`.
 */
export const bookingService: ServiceFactory = ({ store: { connection }, clock, lock, logger, metrics }) => {
	const store = new BookingStore(connection, clock);
	const lists = new SharedReads<Result<'booking.list'>>();
	let engine: BookingEngine;
	let services: ServiceSource;
	let caller: Caller;

	const actions: Handlers<'booking'> = {
		create: (ctx) => createBooking(engine, ctx.params, Deadline.of(ctx)),
		list: ({ params }) =>
			lists.ask(accountKey(params, JSON.stringify(params)), () => listBookings(engine, services, caller, params)),
		listed: ({ params }) => showListed(engine, caller, params),
		get: ({ params }) => getBooking(engine, params),
		update: (ctx) => updateBooking(engine, ctx.params, Deadline.of(ctx)),
		delete: (ctx) => deleteBooking(engine, ctx.params, Deadline.of(ctx)),
		getCustomer: ({ params }) => getCustomer(engine, params),
		updateCustomer: (ctx) => updateCustomer(engine, ctx.params, Deadline.of(ctx)),
		deletionAnswered: ({ params }) => store.noteDeletionAnswered(params.account_id, params.booking_id),
		availability: (ctx) => showAvailability(store, ctx, ctx.params),
		alternatives: (ctx) => findAlternatives(engine, ctx, ctx.params),
		calendar: ({ params }) => listCalendar(engine, params),
		calendarEntries: ({ params }) => showCalendar(engine, params),
		impact: ({ params }) => showImpact(store, params),
		counts: ({ params }) => countBookings(engine, params),
		bookedSlots: ({ params }) => store.lists.bookedSlots(params, params.time_slot_ids),
		ofPerson: (ctx) => bookingsOfPerson(engine, ctx, ctx.params),
		toldOfPerson: ({ params }) => toldOfPerson(engine, params),
		upTo: async ({ params }) => {
			await engine.sweeper.deliverNow({ account_id: params.account_id });
			return { booking_id: await store.nextId() };
		},
		erasePerson: (ctx) => erasePerson(engine, ctx.params, Deadline.of(ctx)),
		releaseErased: (ctx) => releaseErased(engine, ctx.params, Deadline.of(ctx)),
		audit: (ctx) => auditPage(engine, ctx, ctx.params, logger),
		showPlace: (ctx) => showOccurrence(engine, ctx, lock, ctx.params),
		showBooking: ({ params }) => showBooking(engine, params),
		queues: async ({ params }) => showQueues(engine, lock, params.occurrence),
		outbox: () => showOutbox(engine),
		closeService: (ctx) => closeService(engine, ctx.params, Deadline.of(ctx)),
	};

	return {
		name: 'booking',
		actions,
		created(this: { broker: ServiceBroker }) {
			caller = this.broker;
			engine = bookingEngine(this.broker, store, lock, logger);
			services = serviceSource(this.broker);
			bookingMetrics(
				metrics,
				() => engine.seats.waiting(),
				() => showOutbox(engine),
				() => engine.retentionSweeper.removed,
			);
		},
		async started() {
			await store.prepare();
			engine.sweeper.start();
			engine.holdSweeper.start();
			engine.retentionSweeper.start();
		},
		async stopped() {
			await Promise.all([engine.retentionSweeper.stop(), engine.holdSweeper.stop()]);
			await engine.sweeper.stop(); // it delivers what they did
			await Promise.all([engine.relay.stop(), engine.quota.stop(), engine.unsettled.stop()]);
			await engine.refunds.stop(); // they may have given something back
		},
	};
};
