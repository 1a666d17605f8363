import { brokerOptions } from '../../moleculer.config.ts';
import { joinCluster } from '../../ops/channel/join-cluster.ts';
import { readConfig } from '../../shared/config/config.ts';
import { createLogger } from '../../shared/log/log.ts';

/** A node on a cluster's bus, as a command is one, but for as long as a test likes: no process start delays a call. */
export async function joinAsOperator(env: Record<string, string>) {
	const config = readConfig({ ...env, SERVICES: '' });
	const broker = await joinCluster(brokerOptions(config, createLogger({ logLevel: 'silent', logFormat: 'json' })));
	if (broker === undefined) throw new Error('the bus cannot be reached');
	await broker.waitForServices(['accounts']);
	return { broker, stop: () => broker.stop() };
}
