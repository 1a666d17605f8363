import { Redis } from 'ioredis';
import { connect } from 'nats';

export interface Traffic {
	/** Each command that Redis was sent, with its arguments; at the end each key that is left, with its value */
	redis: string[];
	/** Each message on the bus: its subject, and its bytes */
	bus: { subject: string; data: Buffer }[];
	end(): Promise<void>;
}

/** All that goes to Redis and over the bus from now on: more than what Redis holds at the end, where keys expire. */
export async function watchTraffic(redisUrl: string, natsUrl: string): Promise<Traffic> {
	const redis = new Redis(redisUrl);
	const monitor = await redis.monitor();
	const bus = await connect({ servers: natsUrl });
	const traffic: Traffic = {
		redis: [],
		bus: [],
		async end() {
			for (const key of await redis.keys('*')) {
				traffic.redis.push(`${key} ${(await redis.dumpBuffer(key))?.toString('latin1')}`);
			}
			monitor.disconnect();
			redis.disconnect();
			await bus.close();
		},
	};
	monitor.on('monitor', (_time, command: string[]) => traffic.redis.push(command.join(' ')));
	bus.subscribe('>', {
		callback: (_error, { subject, data }) => void traffic.bus.push({ subject, data: Buffer.from(data) }),
	});
	await bus.flush();
	return traffic;
}
