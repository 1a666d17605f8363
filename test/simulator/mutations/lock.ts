import { type Mutation, mutation as m } from './mutation.ts';

const redisFairLock = 'shared/lock/redis-fair-lock.ts';
const acquire2Script = 'shared/lock/commands/acquire-2.lua';
const release2Script = 'shared/lock/commands/release-2.lua';
const handOverScript = 'shared/lock/commands/includes/hand-over.lua';
const leftScript = 'shared/lock/commands/includes/left.lua';
const localFairLock = 'shared/lock/local-fair-lock.ts';
const lease = 'shared/lock/lease.ts';

/** The lock, which orders, and decides nothing */
export const lock: readonly Mutation[] = [
	m(
		redisFairLock,
		'if (held) return this.#grant(waiter, ours + left);',
		'if (held || this.#held.size >= 0) return this.#grant(waiter, ours + left);',
		'everybody is given the lock (which orders, and decides nothing)',
	),
	m(
		redisFairLock,
		"\t\t} else if (!this.#held.has(token)) {\n\t\t\tthis.#giveBack(key.join(' '), token);\n\t\t}",
		'\t\t}',
		'a lock that is handed to who gave up stays theirs until it ends',
	),
	m(redisFairLock, '\t\t\tthis.#owed.set(token, key);\n', '', 'what could not be given back is not given back later'),
	m(
		redisFairLock,
		'Math.min(ours + Number(time) - redis - 1, systemClock.monotonic())',
		'systemClock.monotonic()',
		'a lease counts from when its message was read',
	),
	m(
		redisFairLock,
		'\t\twaiter.resolve(undefined);\n\t\treturn this.#giveBack(waiter.key, waiter.token);',
		'\t\twaiter.resolve(undefined);\n\t\treturn undefined;',
		'who gives up stays in line',
	),
	m(
		acquire2Script,
		"\tif not redis.call('LPOS', KEYS[2], token) then",
		'\tif token then',
		'who asks again stands in line twice',
	),
	m(release2Script, 'if ours or not holder then', 'if true then', "who has lost the lock gives away another one's"),
	m(release2Script, "\tredis.call('LREM', KEYS[2], 0, ARGV[1])\n", '', 'who gives up keeps a place in line'),
	m(
		handOverScript,
		"if token == caller or redis.call('PUBLISH', channel, message) > 0 then",
		"redis.call('PUBLISH', channel, message)\n\t\tif token then",
		'a lock is handed to who is dead',
	),
	m(
		leftScript,
		'\tif ms <= 10000 then',
		'\tif ms then',
		'a lease that was given before the clock was set back lasts for ever',
	),
	m(
		localFairLock,
		'const next = line.queue.shift();',
		'const next = line.queue.pop();',
		'who came last is served first',
	),
	m(
		localFairLock,
		'const ours = line.holder === holder && holder.expires > systemClock.monotonic();',
		'const ours = line.holder === holder;',
		'a lease that ended counts as kept',
	),
	m(
		lease,
		'if (released === undefined && remaining() >= ms) return true;',
		'if (released === undefined && remaining() >= 0) return true;',
		'a lease is long enough for any write as long as it lasts',
	),
];
