import type { Cluster, Member } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

const HOUR = 3_600_000;

/**
 * What goes wrong, when: all of it is drawn from the seed. Each world has a few kinds of faults only, some often, some
 * seldom: what needs many of one kind would never happen where all are equally likely. Everything is mended at `end`.
 */
export function planFaults(world: World, cluster: Cluster, begin: number, end: number): void {
	const random = world.random.fork('faults');
	const all = [kill, freeze, stall, reset, jump, loseAnswers, loseAnswers, loseMessages, flush];
	const kinds = Array.from({ length: 1 + random.integer(5) }, () => random.pick(all));
	const pause = random.between(700, 4_000);
	for (let at = begin + random.exponential(pause); at < end; at += random.exponential(pause)) {
		const kind = random.pick(kinds);
		const own = random.fork(`${at}`);
		world.agenda.at(at, () => kind(world, cluster, own, end));
	}
	world.agenda.at(end, () => {
		cluster.storeFate = () => ({});
		cluster.busFate = () => 'delivered';
		for (const member of cluster.members) if (!member.process.alive) cluster.restart(member);
		world.tell('the world', 'has no more faults');
	});
}

type Fault = (world: World, cluster: Cluster, random: Random, end: number) => void;

const kill: Fault = (world, cluster, random, end) => {
	const member = random.pick(cluster.members);
	if (!member.process.alive) return;
	cluster.kill(member);
	world.agenda.at(Math.min(world.agenda.now + random.between(100, 6_000), end), () => {
		if (!member.process.alive) cluster.restart(member);
	});
};

const freeze: Fault = (world, cluster, random, end) => {
	const { mongo, redis, nats } = cluster.servers;
	const processes = [...cluster.members, ...cluster.members].map(({ process }) => process);
	const process = random.pick([...processes, mongo, redis, nats]);
	const ms = Math.min(
		random.chance(0.3) ? random.between(3_000, 15_000) : random.between(50, 3_000),
		end - world.agenda.now,
	);
	if (!process.alive) return;
	process.freeze(ms);
	if (process.name.startsWith('gateway')) cluster.outages.push({ from: world.agenda.now, to: world.agenda.now + ms });
	world.tell(process.name, `stands still for ${ms.toFixed(0)} ms`);
};

/** Nothing arrives from one at the other for a while; the way back is drawn apart. */
const stall: Fault = (world, cluster, random, end) => {
	const { name } = random.pick(cluster.members);
	const server = random.pick(['mongo', 'nats', 'redis']);
	const until = Math.min(world.agenda.now + random.between(50, 8_000), end);
	const ways = random.pick([
		[[name, server]],
		[[server, name]],
		[
			[name, server],
			[server, name],
		],
	]);
	for (const [from, to] of ways) {
		world.network.fault(from!, to!, { stalledUntil: until });
		world.tell(from!, `reaches ${to} no more until ${(until / 1000).toFixed(3)} s`);
	}
};

const reset: Fault = (world, cluster, random) => {
	const { name } = random.pick(cluster.members);
	const server = random.pick(['mongo', 'nats', 'redis']);
	world.tell(name, `loses its connections to ${server}`);
	world.network.reset(name, server);
};

const jump: Fault = (world, cluster, random) => {
	const { process }: Member = random.pick(cluster.members);
	const ms = random.pick([-HOUR, HOUR, -5_000, 5_000]);
	process.jump(ms);
	world.tell(process.name, `has its clock set by ${ms / 1000} s`);
};

const loseAnswers: Fault = (world, cluster, random, end) => {
	const [before, after, late] = [random.next() * 0.1, random.next() * 0.5, random.next() * 0.2];
	const chance = random.fork('fates');
	cluster.storeFate = (_client, _command, isWrite) => {
		if (chance.chance(before)) return { lostBefore: true };
		if (isWrite && chance.chance(late)) return { late: chance.exponential(2_000), lostAfter: chance.chance(0.5) };
		return chance.chance(after) ? { lostAfter: true } : {};
	};
	world.tell('mongo', 'loses commands and answers from now on');
	world.agenda.at(Math.min(world.agenda.now + random.between(200, 4_000), end), () => {
		cluster.storeFate = () => ({});
		world.tell('mongo', 'is well again');
	});
};

const loseMessages: Fault = (world, cluster, random, end) => {
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
};

const flush: Fault = (world, cluster) => {
	cluster.redis.flush();
	world.tell('redis', 'forgets everything');
};
