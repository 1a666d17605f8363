import { Loggers } from 'moleculer';
import { destination, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { LineWriter } from './line-writer.ts';

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
	const target = 'pino-pretty';
	return pino({ ...options, transport: { target, options: { ignore: 'pid,module,node', translateTime: 'HH:MM:ss' } } });
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
