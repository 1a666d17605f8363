import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { ServiceKey } from '../../shared/contract/actions.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

/** Whether a service is there now, from catalog; what is asked for at the same moment shares a call. */
export type ServiceSource = Gatherer<ServiceKey, boolean>;

export function serviceSource(broker: ServiceBroker): ServiceSource {
	return new Gatherer((services) => call(broker, 'catalog.areServices', { services }));
}
