import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { eachNode } from '../../ops/channel/each-node.ts';
import { joinCluster } from '../../ops/channel/join-cluster.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { LimitsReport } from '../../shared/contract/reports.ts';
import type { Product } from './product.ts';
import { until } from './until.ts';

export const TRIES = 3;

/** What the gateways of a cluster say of their limits, as `ops status` asks them. */
export class GatewayLimits {
	readonly #broker: ServiceBroker;

	private constructor(broker: ServiceBroker) {
		this.#broker = broker;
	}

	/** @param namespace of the product */
	static async of(product: Product, namespace: string): Promise<GatewayLimits> {
		const urls = { NATS_URL: product.nats!.url, REDIS_URL: product.redis!.url, MONGO_URL: product.mongoUrl! };
		const SECRET_KEY = Buffer.alloc(32, 1).toString('base64');
		const config = readConfig({ ...urls, SECRET_KEY, NAMESPACE: namespace });
		const broker = await joinCluster(brokerOptions(config, pino({ level: 'silent' })));
		if (broker === undefined) throw new Error('the bus cannot be reached');
		return new GatewayLimits(broker);
	}

	/** Of those that run: one that ended a moment ago may be listed for a while, and does not answer. */
	rates(): Promise<LimitsReport['rate'][]> {
		const what = 'an answer of each gateway';
		return until(
			async () => {
				const answers = (await eachNode(this.#broker, 'gateway.limits', {})).map(({ answer }) => answer);
				return !answers.includes(null) && answers.map((answer) => answer!.rate);
			},
			{ what },
		);
	}

	/** How many of them limit on their own now. */
	async countAlone(): Promise<number> {
		return (await this.rates()).filter(({ degraded }) => degraded).length;
	}

	/**
	 * Runs something that holds while Redis answers. On a machine that does much else it may not, within 50 ms, and
	 * gateways then decide on their own, as they should: so it is run again, at most TRIES times.
	 * @returns what the last run gave, and how many requests a gateway decided on its own in it: so many more may have passed
	 */
	async undisturbed<T>(run: () => Promise<T>): Promise<{ result: T; alone: number }> {
		for (let attempt = 1; ; attempt++) {
			const before = await this.#decidedAlone();
			const result = await run();
			const alone = (await this.#decidedAlone()) - before;
			if (alone === 0 || attempt === TRIES) return { result, alone };
		}
	}

	stop(): Promise<void> {
		return this.#broker.stop();
	}

	async #decidedAlone(): Promise<number> {
		return (await this.rates()).reduce((sum, { alone }) => sum + alone, 0);
	}
}
