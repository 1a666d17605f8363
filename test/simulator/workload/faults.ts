import type { Cluster, Member } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

const HOUR = 3_600_000;

/**
 * What goes wrong, when: all of it is drawn from the seed. Each world has a few kinds of faults only, some often, some
 * seldom: what needs many of one kind would never happen where all are equally likely. Everything is mended at `end`.
 * @returns how many were planned
 */
export function planFaults(world: World, cluster: Cluster, { begin, end, without }: Period): number {
	const random = world.random.fork('faults');
	const all = Object.entries(faults);
	const kinds = Array.from({ length: 1 + random.integer(5) }, () => random.pick(all));
	const pause = random.between(500, 4_000);
	let planned = 0;
	for (let at = begin + random.exponential(pause); at < end; at += random.exponential(pause)) {
		const [name, fault] = random.pick(kinds);
		const own = random.fork(`${at}`);
		if (without.has(planned++)) continue;
		world.agenda.at(at, () => {
			cluster.faults.set(name, (cluster.faults.get(name) ?? 0) + 1);
			fault(world, cluster, own, end);
		});
	}
	world.agenda.at(end, () => {
		cluster.storeFate = () => ({});
		cluster.busFate = () => 'delivered';
		for (const member of cluster.members) if (!member.process.alive) cluster.restart(member);
		world.tell('the world', 'has no more faults');
	});
	return planned;
}

/** From `begin` to `end`, in ms of the world, without those of these numbers */
interface Period {
	begin: number;
	end: number;
	without: ReadonlySet<number>;
}

type Fault = (world: World, cluster: Cluster, random: Random, end: number) => void;

const faults: Record<string, Fault> = {
	kill(world, cluster, random, end) {
		const member = random.pick(cluster.members);
		if (!member.process.alive) return;
		cluster.kill(member);
		startAgain(world, cluster, member, random, end);
	},

	stop(world, cluster, random, end) {
		const member = random.pick(cluster.members);
		if (!member.process.alive) return;
		cluster.stop(member);
		member.process.onEnd.push(() => startAgain(world, cluster, member, random, end));
	},

	freeze(world, cluster, random, end) {
		const { mongo, redis, nats } = cluster.servers;
		const processes = [...cluster.members, ...cluster.members].map(({ process }) => process);
		const process = random.pick([...processes, mongo, redis, nats]);
		const long = random.chance(0.3);
		const ms = Math.min(long ? random.between(3_000, 15_000) : random.between(50, 3_000), end - world.agenda.now);
		if (!process.alive) return;
		process.freeze(ms);
		if (process.name.startsWith('gateway')) {
			cluster.outages.push({ from: world.agenda.now, to: world.agenda.now + ms });
		}
		world.tell(process.name, `stands still for ${ms.toFixed(0)} ms`);
	},

	/** Nothing arrives from one at the other for a while; the way back is drawn apart. */
	stall(world, cluster, random, end) {
		const { name } = random.pick(cluster.members);
		const server = random.pick(['mongo', 'nats', 'redis']);
		const until = Math.min(world.agenda.now + random.between(50, 8_000), end);
		const there: [string, string] = [name, server];
		const back: [string, string] = [server, name];
		for (const [from, to] of random.pick([[there], [back], [there, back]])) {
			world.network.fault(from, to, { stalledUntil: until });
			world.tell(from, `reaches ${to} no more until ${(until / 1000).toFixed(3)} s`);
		}
	},

	reset(world, cluster, random) {
		const { name } = random.pick(cluster.members);
		const server = random.pick(['mongo', 'nats', 'redis']);
		world.tell(name, `loses its connections to ${server}`);
		world.network.reset(name, server);
	},

	'clock jump'(world, cluster, random) {
		const member: Member = random.pick(cluster.members);
		const ms = random.pick([-HOUR, HOUR, -5_000, 5_000]);
		if (Math.abs(member.clockAhead + ms) > 4 * HOUR) return;
		member.clockAhead += ms;
		member.process.jump(ms);
		world.tell(member.name, `has its clock set by ${ms / 1000} s`);
	},

	/** Of all processes, or of one: then what another one does in between is seen. */
	'lost answers'(world, cluster, random, end) {
		const [before, after, late, deadlock] = [0.1, 0.5, 0.2, 0.1].map((most) => random.next() * most) as [
			...[number, number, number, number],
		];
		const only = random.chance(0.5) ? random.pick(cluster.members).name : undefined;
		const chance = random.fork('fates');
		cluster.storeFate = (client, _command, isWrite) => {
			if (only !== undefined && client !== only) return {};
			if (chance.chance(before)) return { lostBefore: true };
			if (isWrite && chance.chance(deadlock)) return { deadlock: true };
			if (isWrite && chance.chance(late)) return { late: chance.exponential(2_000), lostAfter: chance.chance(0.5) };
			return chance.chance(after) ? { lostAfter: true } : {};
		};
		world.tell('mongo', `loses commands and answers${only === undefined ? '' : ` of ${only}`} from now on`);
		world.agenda.at(Math.min(world.agenda.now + random.between(200, 4_000), end), () => {
			cluster.storeFate = () => ({});
			world.tell('mongo', 'is well again');
		});
	},

	'lost messages'(world, cluster, random, end) {
		const [lost, late] = [random.next() * 0.1, random.next() * 0.2];
		const chance = random.fork('fates');
		cluster.busFate = () => {
			if (chance.chance(lost)) return 'lost';
			return chance.chance(late) ? { later: chance.exponential(300) } : 'delivered';
		};
		world.tell('nats', 'loses messages from now on');
		world.agenda.at(Math.min(world.agenda.now + random.between(200, 4_000), end), () => {
			cluster.busFate = () => 'delivered';
			world.tell('nats', 'is well again');
		});
	},

	failover(world, cluster, random, end) {
		const ms = Math.min(random.between(100, 6_000), end - world.agenda.now);
		world.tell('mongo', `has no primary for ${ms.toFixed(0)} ms`);
		cluster.mongo.failOver(ms);
	},

	'nats restart'(world) {
		world.tell('nats', 'is started again');
		world.network.resetAll('nats');
	},

	'redis restart'(world, cluster) {
		world.tell('redis', 'is started again');
		cluster.redis.flush();
		world.network.resetAll('redis');
	},

	flush(world, cluster) {
		cluster.redis.flush();
		world.tell('redis', 'forgets everything');
	},
};

function startAgain(world: World, cluster: Cluster, member: Member, random: Random, end: number): void {
	world.agenda.at(Math.min(world.agenda.now + random.between(100, 6_000), end), () => {
		if (!member.process.alive) cluster.restart(member);
	});
}
