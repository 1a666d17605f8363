import { hostname } from 'node:os';
import { type BrokerOptions, ServiceBroker } from 'moleculer';

const CONNECTED_WITHIN = 10_000; // ms; a bus that is there takes one, on a busy machine several

/**
 * Joins the bus of a running cluster as a node without services.
 * @param options of a process of this cluster
 * @returns undefined where the bus cannot be reached
 */
export async function joinCluster(options: BrokerOptions): Promise<ServiceBroker | undefined> {
	const broker = new ServiceBroker({
		...options,
		nodeID: `ops-${hostname()}-${process.pid}`,
		tracking: { enabled: false },
	});
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), CONNECTED_WITHIN);
	});
	const connected = await Promise.race([broker.start().then(() => true), late]);
	clearTimeout(timer);
	return connected ? broker : undefined;
}
