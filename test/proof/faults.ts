import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, TcpProxy } from '../support/tcp-proxy.ts';
import type { Cluster, Victim } from './cluster.ts';
import type { Recorder } from './recorder.ts';

/** Kills it, and starts it again. @returns ms from the start until every process says that it is ready */
export async function killOne(cluster: Cluster, victim: Victim, recorder: Recorder) {
	recorder.fault(`SIGKILL ${kindOf(victim)}`);
	await victim.kill();
	const since = performance.now();
	await victim.revive();
	await cluster.ready();
	return { name: victim.name, ready: performance.now() - since };
}

/** Lets it stand still. @param ms how long */
export async function stopOne(victim: Victim, recorder: Recorder, ms: number): Promise<void> {
	if (victim.signal === undefined) return;
	recorder.fault(`SIGSTOP ${kindOf(victim)}`);
	victim.signal('SIGSTOP');
	await delay(ms);
	victim.signal('SIGCONT');
}

/** Lets a connection misbehave. @param ms how long */
export async function disturb(
	name: string,
	proxy: TcpProxy,
	fault: Fault,
	recorder: Recorder,
	ms: number,
): Promise<void> {
	recorder.fault(`${fault.kind} ${name}`);
	await proxy.set(fault);
	await delay(ms);
	await proxy.set({ kind: 'none' });
}

/** `booking` for `booking-2`. */
function kindOf({ name }: Victim): string {
	return name.replace(/-\d+$/, '');
}
