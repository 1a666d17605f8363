import type { Context, ServiceBroker, ServiceSchema } from 'moleculer';
import type { ActionName, Params } from '../../shared/actions.ts';
import { Deadline } from '../../shared/deadline.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { bookingModel } from './booking.model.ts';
import { BookingStore } from './booking-store.ts';
import { closeService } from './close-service.ts';
import { closureModel } from './closure.model.ts';
import { createBooking } from './create-booking.ts';
import { deleteBooking } from './delete-booking.ts';
import { type BookingEngine, placeSource, slotSource } from './dependencies.ts';
import { getBooking, getCustomer } from './get-booking.ts';
import { countBookings, listBookings } from './list-bookings.ts';
import { PlaceQueue } from './place-queue.ts';
import { Relay } from './relay.ts';
import { showAvailability } from './show-availability.ts';
import { Sweeper } from './sweeper.ts';
import { updateBooking } from './update-booking.ts';
import { updateCustomer } from './update-customer.ts';

type Ctx<K extends ActionName> = Context<Params<K>>;

/** Capacity, duplicates, states: bookings with their customers. */
export function bookingService({ store: { connection }, clock, lock, logger }: Dependencies): ServiceSchema {
	const store = new BookingStore(bookingModel(connection), closureModel(connection), clock);
	let engine: BookingEngine;
	let sweeper: Sweeper;
	return {
		name: 'booking',
		actions: {
			create: (ctx: Ctx<'booking.create'>) => createBooking(engine, ctx.params, Deadline.of(ctx)),
			list: (ctx: Ctx<'booking.list'>) => listBookings(engine, ctx, ctx.params),
			get: (ctx: Ctx<'booking.get'>) => getBooking(engine, ctx.params),
			update: (ctx: Ctx<'booking.update'>) => updateBooking(engine, ctx.params, Deadline.of(ctx)),
			delete: (ctx: Ctx<'booking.delete'>) => deleteBooking(engine, ctx.params, Deadline.of(ctx)),
			getCustomer: (ctx: Ctx<'booking.getCustomer'>) => getCustomer(engine, ctx.params),
			updateCustomer: (ctx: Ctx<'booking.updateCustomer'>) => updateCustomer(engine, ctx.params, Deadline.of(ctx)),
			availability: (ctx: Ctx<'booking.availability'>) => showAvailability(store, ctx, ctx.params),
			counts: (ctx: Ctx<'booking.counts'>) => countBookings(engine, ctx.params),
			closeService: (ctx: Ctx<'booking.closeService'>) => closeService(store, ctx.params, Deadline.of(ctx)),
		},
		created(this: { broker: ServiceBroker }) {
			const slots = slotSource(this.broker);
			const relay = new Relay(store, this.broker, logger);
			const places = new PlaceQueue(lock, placeSource(this.broker, store, slots, logger));
			engine = { store, places, slots, relay, changes: new KeyedQueue() };
			sweeper = new Sweeper(store, relay, logger);
		},
		async started() {
			await prepareModels([store.model, store.closures]);
			sweeper.start();
		},
		async stopped() {
			await sweeper.stop();
			await engine.relay.idle();
		},
	};
}
