import { crc32 } from 'node:zlib';
import type { SmallLimits } from './limits.ts';
import type { Clocks } from './oracles/clocks.ts';
import { type Fate, MONGO_PORT, MongoServer, type StoreFaults } from './servers/mongo-server.ts';
import { type BusFaults, NATS_PORT, NatsServer } from './servers/nats-server.ts';
import { REDIS_PORT, RedisServer } from './servers/redis-server.ts';
import { HOUR, type Shape } from './workload/shape.ts';
import type { Random } from './world/random.ts';
import type { SimProcess } from './world/sim-process.ts';
import type { World } from './world/world.ts';

export const GATEWAY_PORT = 3_000;

/** Services by the name of the processes that run them; those of `core` run the event log, too, where nobody else does */
const SERVICES: readonly [string, string][] = [
	['gateway', 'gateway'],
	['booking', 'booking'],
	['catalog', 'catalog'],
	['core', 'accounts,customer'],
	['log', 'notifications'],
];

/** A plan that clients come to the end of */
const SMALL = { name: 'Small', bookings_per_month: 60, services_limit: 6 };
const SMALL_PLAN = {
	...{ _id: 9, ...SMALL, requests_per_month: null, rate_limit_per_second: null, burst: null, overages_enabled: false },
	...{ overage_price_amount: 0, price_amount: 0, price_currency: 'usd', price_interval: 'month' },
	...{ payment_overage_price_id: null, payment_price_id: null, created_at: '', updated_at: '' },
};

/** The last account's plan is small, the others have no limits. */
function planOf(
	account: number,
	accounts: number,
): { name: string; bookings_per_month: number; services_limit: number } {
	const unlimited = Number.POSITIVE_INFINITY;
	if (account === accounts - 1) return SMALL;
	return { name: 'Unlimited', bookings_per_month: unlimited, services_limit: unlimited };
}

export interface Member {
	name: string;
	/** What its name begins with: gateway, booking, catalog, core or log */
	kind: string;
	/** Number of the machine that it runs on; each has one process of each kind, if there are so many */
	machine: number;
	address: string;
	services: string;
	process: SimProcess;
	/** ms by which its clock is ahead; kept over restarts */
	clockAhead: number;
	/** All that it was ahead by */
	clocks: number[];
	/** It was ended for good: fewer processes are to run */
	gone: boolean;
}

/** ms after which a process is started again that could not start */
const RESTARTED_AFTER = 1_000;

type Given = Pick<Shape, 'accounts' | 'processes' | 'clocks' | 'limits'>;

/** The servers, and the processes of the product. */
export class Cluster {
	readonly world: World;
	readonly mongo: MongoServer;
	readonly redis: RedisServer;
	readonly nats: NatsServer;
	readonly servers: Record<'mongo' | 'redis' | 'nats', SimProcess>;
	readonly members: Member[] = [];
	readonly accounts: readonly { key: string; plan: ReturnType<typeof planOf> }[];
	/** When a gateway stood still */
	readonly outages: { from: number; to: number }[] = [];
	/** When a process was killed, or told to stop */
	readonly ends: { at: number; services: string }[] = [];
	/** How far the clocks of the booking processes are ahead, from each change of one on */
	readonly clocks: Clocks[] = [];
	/** How many there were of each kind */
	readonly faults = new Map<string, number>();
	/** What goes wrong with the store now, all of it at once; and with the bus */
	readonly storeFates = new Set<StoreFaults['fate']>();
	busFate: BusFaults['fate'] = () => 'delivered';
	readonly #limits: SmallLimits;

	constructor(world: World, { accounts, processes, clocks: given, limits }: Given) {
		this.world = world;
		this.#limits = limits;
		for (const [name, value] of limits) world.tell('the product', `has a limit of its own: ${name} is ${value}`);
		const chance = world.random.fork('keys');
		this.accounts = Array.from({ length: accounts }, (_, index) => ({
			key: newKey(chance),
			plan: planOf(index, accounts),
		}));
		this.servers = {
			mongo: world.process('mongo', '10.0.0.2'),
			redis: world.process('redis', '10.0.0.3'),
			nats: world.process('nats', '10.0.0.4'),
		};
		this.mongo = new MongoServer(world.network, this.servers.mongo, { fate: (...args) => this.#storeFate(args) });
		this.redis = new RedisServer(world.network, this.servers.redis);
		this.nats = new NatsServer(world.network, this.servers.nats, { fate: (...args) => this.busFate(...args) });
		this.mongo.collection('packages').insert(SMALL_PLAN);
		for (const server of [this.mongo, this.redis, this.nats]) server.start();
		let host = 10;
		for (const [name, own] of SERVICES) {
			const services = name === 'core' && processes.log === 0 ? `${own},notifications` : own;
			for (let index = 1; index <= processes[name]!; index++) {
				const machine = index - 1;
				const clockAhead = drawClock(world.random, given, machine);
				const process = world.process(`${name}-${index}`, `10.0.0.${host++}`, clockAhead);
				const { name: ofProcess, address } = process;
				const clocks = [clockAhead];
				const of = { name: ofProcess, kind: name, machine, address, services };
				const member = { ...of, process, clockAhead, clocks, gone: false };
				this.members.push(member);
				this.#start(member);
			}
		}
		this.#noteClocks();
	}

	/** For all clocks time goes on at once. */
	skip(ms: number): void {
		this.world.tell('the world', `skips ${ms / 1000} s`);
		for (const member of this.members) this.setClock(member, ms);
	}

	#noteClocks(): void {
		const ahead = this.members.filter(({ kind }) => kind === 'booking').map(({ clockAhead }) => clockAhead);
		this.clocks.push({ at: this.world.agenda.now, least: Math.min(...ahead), most: Math.max(...ahead) });
	}

	/** ms by which two clocks differed at most */
	get clocksApart(): number {
		const ahead = this.members.flatMap(({ clocks }) => clocks);
		return Math.max(...ahead) - Math.min(...ahead);
	}

	#storeFate(args: Parameters<StoreFaults['fate']>): Fate {
		const together: Fate = {};
		for (const fate of this.storeFates) Object.assign(together, fate(...args));
		return together;
	}

	get gateways(): Member[] {
		return this.members.filter(({ services }) => services === 'gateway');
	}

	/** Whether another one does its work, so that it need not come back. Clients know each gateway, so these do. */
	isSpare({ kind, name }: Member): boolean {
		return (
			kind !== 'gateway' && this.members.some((other) => other.kind === kind && other.name !== name && !other.gone)
		);
	}

	/** Nothing of it runs any more, from this moment. */
	kill(member: Member): void {
		this.world.tell(member.name, 'is killed');
		this.ends.push({ at: this.world.agenda.now, services: member.services });
		member.process.end();
	}

	/** As SIGTERM does it. */
	stop(member: Member): void {
		const { process } = member;
		if (process.stop === undefined) return;
		const { stop } = process;
		this.world.tell(member.name, 'is told to stop');
		this.ends.push({ at: this.world.agenda.now, services: member.services });
		process.stop = undefined;
		process.deliver(() => {
			stop().then(() => process.end());
		});
	}

	/** Its wall clock jumps by so many ms. */
	setClock(member: Member, ms: number): void {
		this.world.tell(member.name, `has its clock set by ${ms / 1000} s`);
		member.clockAhead += ms;
		member.clocks.push(member.clockAhead);
		member.process.jump(ms);
		this.#noteClocks();
	}

	restart(member: Member): void {
		this.world.tell(member.name, 'is started again');
		member.process = this.world.process(member.name, member.address, member.clockAhead);
		this.#start(member);
	}

	/** Where its start fails, it is started again after a while, as by any supervisor. */
	#start(member: Member): void {
		const setup = { environment: this.#environment(member), limits: this.#limits };
		this.world.startProduct(member.process, setup, () => {
			this.world.agenda.at(this.world.agenda.now + RESTARTED_AFTER, () => {
				if (!member.process.alive && !member.gone) this.restart(member);
			});
		});
	}

	#environment({ address, services }: Member): Record<string, string> {
		return {
			NATS_URL: `nats://${this.servers.nats.address}:${NATS_PORT}`,
			REDIS_URL: `redis://${this.servers.redis.address}:${REDIS_PORT}`,
			MONGO_URL: `mongodb://${this.servers.mongo.address}:${MONGO_PORT}`,
			SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
			BOOTSTRAP_KEYS: this.accounts.map(({ key, plan }) => `${key}:${plan.name}`).join(','),
			SERVICES: services,
			HOST: address,
			PORT: String(GATEWAY_PORT),
			ADMIN_PORT: 'off',
			WEBHOOK_ALLOW_PRIVATE: '1',
			LOG_FORMAT: 'json',
		};
	}
}

/**
 * Clocks are a little wrong, and some are wrong by an hour: no rule may rest on it (X4).
 * @returns ms ahead
 */
function drawClock(random: Random, { wrong, odd }: Shape['clocks'], machine: number): number {
	const little = random.integer(4_000) - 2_000;
	if (odd?.machine === machine) return little + odd.ahead;
	return random.chance(wrong) ? little + random.pick([HOUR, -HOUR]) : little;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An API key as the contract describes it: 30 characters, and their CRC-32 in base62. */
function newKey(random: Random): string {
	const text = Array.from({ length: 30 }, () => BASE62[random.integer(62)]).join('');
	let sum = crc32(text);
	let check = '';
	for (let digit = 0; digit < 6; digit++) {
		check = BASE62[sum % 62] + check;
		sum = Math.floor(sum / 62);
	}
	return `slw_${text}${check}`;
}
