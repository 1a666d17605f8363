import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { SlotKey } from '../../shared/contract/actions.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

/** Time slots from catalog as they are now; what is asked for at the same moment shares a call. Null: there is none. */
export type SlotSource = Gatherer<SlotKey, TimeSlot | null>;

export function slotSource(broker: ServiceBroker): SlotSource {
	return new Gatherer((slots) => call(broker, 'catalog.slots', { slots }));
}
