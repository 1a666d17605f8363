import { createRequire } from 'node:module';
import { Loggers } from 'moleculer';
import type { DestinationStream } from 'pino';
import { destination, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { isError } from '../contract/errors.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { isUnavailable } from '../store/write-errors.ts';

export type { Logger } from 'pino';

const STDOUT = 1;

/** Structured logs: one JSON object a line, or a readable line on a terminal. They carry no key and no personal data. */
export function createLogger(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
	const options = {
		level: config.logLevel,
		base: { pid: process.pid },
		timestamp: lineTime,
		serializers: { err: describeError },
	};
	if (config.logFormat === 'json') return pino(options, new LineWriter(destination({ fd: STDOUT, sync: true })));
	tellWhereThreadsBegin();
	const target = 'pino-pretty';
	return pino({ ...options, transport: { target, options: { ignore: 'pid,module,node', translateTime: 'HH:MM:ss' } } });
}

/** A thread that writes readable lines begins with a file of a package; in a bundle it is not beside the code that asks for it. */
function tellWhereThreadsBegin(): void {
	const pinos = createRequire(createRequire(import.meta.url).resolve('pino'));
	const places = { 'thread-stream-worker': pinos.resolve('thread-stream/lib/worker.js') };
	Object.assign(globalThis, { __bundlerPathsOverrides: places }); // the name that both packages look at
}

/** The time of the latest line: many lines are of the same millisecond, and its text costs as much as the rest of a line. */
let latest = { ms: 0, text: '' };

/** As pino's own `isoTime`. */
function lineTime(): string {
	const ms = Date.now();
	if (ms !== latest.ms) latest = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
	return latest.text;
}

/** What is logged of an error. Its other fields stay out: a bulk write's carry the documents, and so personal data. */
export function describeError(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	const { name, message, code, stack } = error as Error & { code?: unknown };
	return { name, message, ...(code === undefined ? {} : { code }), stack };
}

/** Moleculer's own lines, in the same log. Its routine notices are not worth a reader's time: they become `debug`. */
export class BrokerLogger extends Loggers.Base<Record<string, never>> {
	readonly #logger: Logger;

	constructor(logger: Logger) {
		super();
		this.#logger = logger;
	}

	override getLogHandler(bindings: { mod?: string } | null): (level: pino.Level, args: unknown[]) => void {
		const child = this.#logger.child({ module: bindings?.mod?.toLowerCase() ?? 'broker' });
		return (level, args) => {
			const at = level === 'info' ? 'debug' : level;
			if (!child.isLevelEnabled(at)) return;
			const [message, ...details] = args;
			const detail = details.length === 0 ? undefined : details.length === 1 ? details[0] : details;
			if (detail instanceof CannotStart) return; // run-process.ts prints it, as one sentence
			if (message instanceof Error) child[at]({ err: message, detail }, message.message);
			else child[at](detail instanceof Error ? { err: detail } : { detail }, String(message));
		};
	}
}

/** Characters that are written at once, though the turn is not over */
const MOST = 16 * 1024;

/**
 * Writes the lines of one turn of the event loop together: with many requests a turn, a system call for each line is a
 * tenth of what a read costs. Nothing is kept beyond the turn, so a killed process loses only lines of the very turn in
 * which it was killed.
 */
export class LineWriter implements DestinationStream {
	readonly #out: DestinationStream;
	#lines = '';

	/** @param out writes before it returns */
	constructor(out: DestinationStream) {
		this.#out = out;
		process.on('exit', () => this.flushSync());
	}

	write(line: string): void {
		if (this.#lines === '') setImmediate(() => this.flushSync());
		this.#lines += line;
		if (this.#lines.length >= MOST) this.flushSync();
	}

	/** pino calls it after a fatal line, too. */
	flushSync(): void {
		const lines = this.#lines;
		this.#lines = '';
		if (lines !== '') this.#out.write(lines);
	}
}

/**
 * Logs that work failed which nobody waits for. That a service or the store is away, or too slow, is to be expected, and
 * such work is repeated: a warning that names the reason, without a stack. All else is a bug: an error with everything.
 */
export function logFailure(
	logger: Logger,
	error: unknown,
	message: string,
	details: Readonly<Record<string, unknown>> = {},
): void {
	if (isExpected(error)) logger.warn({ ...details, reason: error.message }, message);
	else logger.error({ ...details, err: error }, message);
}

function isExpected(error: unknown): error is Error {
	return isUnavailable(error) || isError(error, 'service_unavailable') || isError(error, 'gateway_timeout');
}
