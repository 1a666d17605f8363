import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';

const ANSWER_WITHIN = 2_000; // ms

interface Node {
	id: string;
	hostname: string;
	services: { name: string }[];
}

export interface NodeAnswer<T> {
	node: string;
	host: string;
	services: string[];
	/** null where the process did not answer in time */
	answer: T | null;
}

/** Asks every process that runs an action's service, each for itself. */
export function eachNode<K extends ActionName>(
	broker: ServiceBroker,
	action: K,
	params: Params<K>,
): Promise<NodeAnswer<Result<K>>[]> {
	const [service] = action.split('.');
	const nodes = broker.registry.getNodeList({ onlyAvailable: true, withServices: true }) as unknown as Node[];
	const asked = nodes.filter(({ services }) => services.some(({ name }) => name === service));
	return Promise.all(
		asked.map(async ({ id, hostname, services }) => ({
			node: id,
			host: hostname,
			services: services.map(({ name }) => name).filter((name) => !INTERNAL.includes(name)),
			answer: await call(broker, action, params, { nodeID: id, timeout: ANSWER_WITHIN }).catch(() => null),
		})),
	);
}

const INTERNAL = ['$node', 'ops'];
