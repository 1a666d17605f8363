import { EventEmitter } from 'node:events';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { current, type SimProcess, Timer } from './sim-process.ts';

const require = createRequire(import.meta.url);

/** What is left of the real world, for the simulator itself. */
export const real = {
	Date,
	now: performance.now.bind(performance),
	cpuUsage: process.cpuUsage.bind(process),
	setImmediate,
	setTimeout,
	random: Math.random,
};

/** Whether the world has begun: from then on nobody but a simulated process may ask for time or chance. */
let begun = false;

export function begin(): void {
	begun = true;
}

function owner(what: string): SimProcess | undefined {
	const process = current();
	if (process === undefined && begun) throw new Error(`${what} was called by no simulated process`);
	return process;
}

/**
 * Replaces what a program gets from Node that is neither the same in every run nor a function of its input. To be called
 * before anything of the product, or of what it uses, is loaded.
 */
export function replaceGlobals(): void {
	replaceDate();
	replaceTimers();
	replaceChance();
	replaceMachine();
	replaceFiles();
	syncBuiltinESMExports();
}

function replaceDate(): void {
	const now = () => current()?.wall() ?? (begun ? owner('Date')!.wall() : real.Date.now());
	function SimDate(this: unknown, ...args: number[]) {
		if (new.target === undefined) return new real.Date(now()).toString();
		const target = new.target === (SimDate as unknown) ? real.Date : new.target;
		return Reflect.construct(real.Date, args.length === 0 ? [now()] : args, target);
	}
	SimDate.prototype = real.Date.prototype;
	Object.assign(SimDate, { now, parse: real.Date.parse, UTC: real.Date.UTC });
	real.Date.prototype.constructor = SimDate as unknown as DateConstructor;
	globalThis.Date = SimDate as unknown as DateConstructor;
	performance.now = () => current()?.monotonic() ?? (begun ? owner('performance')!.monotonic() : real.now());
	const hrtime = (since?: [number, number]): [number, number] => {
		const ms = performance.now();
		const [seconds, nanoseconds] = [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];
		if (since === undefined) return [seconds, nanoseconds];
		const difference = (seconds - since[0]) * 1e9 + nanoseconds - since[1];
		return [Math.floor(difference / 1e9), difference % 1e9];
	};
	process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(Math.floor(performance.now() * 1e6)) });
	performance.eventLoopUtilization = () => ({ idle: 0, active: 0, utilization: 0 });
}

function replaceTimers(): void {
	const original = { setTimeout, setInterval, setImmediate };
	type Run = (...args: unknown[]) => void;
	const timers = {
		setTimeout: (run: Run, ms?: number, ...args: unknown[]) => {
			const process = owner('setTimeout');
			return process ? process.setTimer(() => run(...args), Number(ms)) : original.setTimeout(run, ms, ...args);
		},
		setInterval: (run: Run, ms?: number, ...args: unknown[]) => {
			const process = owner('setInterval');
			return process ? process.setTimer(() => run(...args), Number(ms), true) : original.setInterval(run, ms, ...args);
		},
		setImmediate: (run: Run, ...args: unknown[]) => {
			const process = owner('setImmediate');
			return process ? process.setImmediate(() => run(...args)) : original.setImmediate(run, ...args);
		},
		clearTimeout: clear,
		clearInterval: clear,
		clearImmediate: clear,
	};
	Object.assign(globalThis, timers);
	Object.assign(require('node:timers'), timers);
	Object.assign(require('node:timers/promises'), {
		setTimeout: (ms?: number, value?: unknown, options?: Waiting) =>
			wait((done) => timers.setTimeout(done, ms), value, options),
		setImmediate: (value?: unknown, options?: Waiting) => wait((done) => timers.setImmediate(done), value, options),
	});
	AbortSignal.timeout = (ms: number) => {
		const controller = new AbortController();
		timers.setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
		return controller.signal;
	};
}

function clear(timer: unknown): void {
	if (timer instanceof Timer) timer.close();
	else if (timer !== undefined && timer !== null && !begun) (timer as { close?(): void }).close?.();
}

interface Waiting {
	signal?: AbortSignal;
}

function wait(start: (done: () => void) => unknown, value: unknown, { signal }: Waiting = {}): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const aborted = () => {
			const error = new Error('The operation was aborted', { cause: signal!.reason });
			return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
		};
		if (signal?.aborted) return reject(aborted());
		const onAbort = () => {
			clear(timer);
			reject(aborted());
		};
		const timer = start(() => {
			signal?.removeEventListener('abort', onAbort);
			resolve(value);
		});
		signal?.addEventListener('abort', onAbort, { once: true });
	});
}

function replaceChance(): void {
	const crypto = require('node:crypto') as Record<string, unknown>;
	const original = { ...crypto } as unknown as typeof import('node:crypto');
	Math.random = () => owner('Math.random')?.random.next() ?? real.random();
	const fill = <T extends NodeJS.ArrayBufferView>(view: T, offset = 0, size?: number): T => {
		const process = owner('crypto');
		const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
		const part = bytes.subarray(offset, size === undefined ? undefined : offset + size);
		if (process) process.random.fill(part);
		else original.randomFillSync(part);
		return view;
	};
	const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
		const bytes = fill(Buffer.alloc(size));
		if (done === undefined) return bytes;
		setImmediate(() => done(null, bytes));
	};
	const randomInt = (least: number, most?: number) => {
		const [from, to] = most === undefined ? [0, least] : [least, most];
		const process = owner('crypto');
		return process ? from + process.random.integer(to - from) : original.randomInt(from, to);
	};
	const randomUUID = () => {
		const bytes = fill(Buffer.alloc(16));
		bytes[6] = (bytes[6]! & 0x0f) | 0x40;
		bytes[8] = (bytes[8]! & 0x3f) | 0x80;
		const hex = bytes.toString('hex');
		return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
	};
	Object.assign(crypto, { randomBytes, randomFillSync: fill, randomInt, randomUUID });
	const web = globalThis.crypto as unknown as Record<string, unknown>;
	web.getRandomValues = fill;
	web.randomUUID = randomUUID;
}

/** The name of the machine, the number of the process, what it uses; and no threads. */
function replaceMachine(): void {
	const pid = process.pid;
	Object.defineProperty(process, 'pid', { get: () => current()?.pid ?? pid });
	const uptime = process.uptime.bind(process);
	process.uptime = () => (current() || begun ? performance.now() / 1000 : uptime());
	process.cpuUsage = () => ({ user: 0, system: 0 });
	const memory = { rss: 1e8, heapTotal: 5e7, heapUsed: 4e7, external: 1e6, arrayBuffers: 1e5 };
	process.memoryUsage = Object.assign(() => memory, { rss: () => memory.rss });
	Object.assign(require('node:os'), {
		hostname: () => current()?.name ?? 'simulator',
		cpus: () => [{ model: 'simulated', speed: 1000, times: { user: 0, nice: 0, sys: 0, idle: 1000, irq: 0 } }],
		loadavg: () => [0, 0, 0],
		freemem: () => 1e9,
		totalmem: () => 2e9,
		networkInterfaces: () => ({}),
	});
	// They see the real event loop and collector, and would hold what told them to for ever.
	class PerformanceObserver {
		observe(): void {}
		disconnect(): void {}
	}
	const loop = { min: 0, max: 0, mean: 0, stddev: 0, percentile: () => 0, enable() {}, disable() {}, reset() {} };
	Object.assign(require('node:perf_hooks'), { PerformanceObserver, monitorEventLoopDelay: () => loop });
	class Worker extends EventEmitter {}
	Object.assign(require('node:worker_threads'), { Worker });
}

/** Files are read at once: a thread of the real world would answer at a moment of its own. */
function replaceFiles(): void {
	const fs = require('node:fs') as typeof import('node:fs');
	const { promises } = fs as unknown as { promises: Record<string, unknown> };
	for (const name of ['access', 'readFile', 'stat', 'readdir'] as const) {
		const atOnce = fs[`${name}Sync`] as (...args: unknown[]) => unknown;
		promises[name] = async (...args: unknown[]) => atOnce(...args);
	}
}
