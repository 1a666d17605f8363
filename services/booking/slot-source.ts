import type { ServiceBroker } from 'moleculer';
import type { SlotKey } from '../../shared/actions.ts';
import type { TimeSlot } from '../../shared/api/time-slot.ts';
import { call } from '../../shared/call.ts';
import { Gatherer } from '../../shared/gatherer.ts';

/** Time slots from catalog as they are now; what is asked for at the same moment shares a call. Null: there is none. */
export type SlotSource = Gatherer<SlotKey, TimeSlot | null>;

export function slotSource(broker: ServiceBroker): SlotSource {
	return new Gatherer((slots) => call(broker, 'catalog.slots', { slots }));
}
