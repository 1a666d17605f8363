import type { ServiceBroker } from 'moleculer';
import { ApiError } from '../../shared/contract/errors.ts';
import { isAvailable } from '../../shared/process/readiness.ts';
import { commands } from '../commands.ts';
import { type Command, CommandFailed, type Outcome, type Program, UsageError } from '../line/command.ts';
import { help } from '../line/help.ts';
import { parseCommand } from '../line/parse-command.ts';
import { asOperator, operatorName } from './as-operator.ts';

/** What is left of a command when it has ended: text for a person, data for a program, or one sentence of error. */
export type Answer =
	| { exitCode: 0 | 1; text: string; data: unknown; json: boolean; next?: string[] }
	| { exitCode: 1 | 2; error: string };

const SERVICES_WITHIN = 5_000; // ms; a node that just joined hears of the others within one

/** The answer to a command line that needs no running process: help, what is wrong with it, or a command that asks none. */
export async function answerAtOnce(argv: string[]): Promise<Answer | undefined> {
	try {
		const parsed = parseCommand(commands, argv);
		if (!('help' in parsed)) return asksNobody(parsed.command) ? await answered(parsed) : undefined;
		const text = help(parsed.help);
		return { exitCode: 0, text, data: { help: text }, json: false };
	} catch (error) {
		return refusal(error);
	}
}

function asksNobody({ needs, here }: Command): boolean {
	return needs.length === 0 && here === undefined;
}

/** Carries out a command of the command line's own; undefined where it is another one. */
export async function answerHere(program: Program, argv: string[]): Promise<Answer | undefined> {
	const parsed = parseCommand(commands, argv) as Parsed;
	if (parsed.command.here === undefined) return undefined;
	try {
		return answerOf(await parsed.command.here(program, parsed.values as never), parsed.json);
	} catch (error) {
		const { syscall, message } = error as NodeJS.ErrnoException;
		return syscall === undefined ? refusal(error) : { exitCode: 1, error: `It failed: ${message}.` };
	}
}

/** Runs an operator's command line on a broker that reaches the services. Never rejects for what an operator can mend. */
export async function execute(broker: ServiceBroker, argv: string[], operator = operatorName()): Promise<Answer> {
	const atOnce = await answerAtOnce(argv);
	if (atOnce !== undefined) return atOnce;
	try {
		const parsed = parseCommand(commands, argv) as Parsed;
		const missing = await missingServices(broker, parsed.command);
		if (missing.length > 0) return { exitCode: 1, error: `No process runs ${missing.join(' and ')} now.` };
		return await answered(parsed, asOperator(broker, operator));
	} catch (error) {
		return refusal(error);
	}
}

type Parsed = Exclude<ReturnType<typeof parseCommand>, { help: unknown }>;

async function answered({ command, values, json }: Parsed, broker?: ServiceBroker): Promise<Answer> {
	return answerOf(await command.run(broker as ServiceBroker, values as never), json);
}

function answerOf({ text, data, exitCode = 0, next }: Outcome, json: boolean): Answer {
	return { exitCode, text, data, json, ...(next && { next: json ? [...next, '--json'] : next }) };
}

/** What the answer prints, and where. Of what is followed each part is a line of its own. */
export function printed(answer: Answer): { to: 'stdout' | 'stderr'; text: string } {
	if ('error' in answer) return { to: 'stderr', text: `${answer.error}\n` };
	const parts = partsOf(answer).filter((part) => part !== '');
	return { to: 'stdout', text: parts.map((part) => `${part}\n`).join('') };
}

function partsOf({ data, json, next, text }: Exclude<Answer, { error: string }>): string[] {
	if (!json) return [text];
	const values = next && Array.isArray(data) ? data : [data];
	return values.map((value) => JSON.stringify(value));
}

function refusal(error: unknown): Answer {
	if (error instanceof UsageError) return { exitCode: 2, error: error.message };
	if (error instanceof CommandFailed) return { exitCode: 1, error: error.message };
	if (!(error instanceof ApiError)) throw error;
	if (error.type === 'gateway_timeout') return { exitCode: 1, error: 'A service did not answer in time; try again.' };
	if (error.type === 'service_unavailable') {
		const text =
			'A service or its database cannot be reached; `status` shows which. Or `export` closed the store: see `reopen`.';
		return { exitCode: 1, error: text };
	}
	return { exitCode: 1, error: `It failed: ${error.message}; the log of the process has the rest.` };
}

async function missingServices(broker: ServiceBroker, { needs }: Command): Promise<string[]> {
	const missing = () => needs.filter((name) => !isAvailable(broker, name));
	if (missing().length > 0) await broker.waitForServices(missing(), SERVICES_WITHIN, 50).catch(() => undefined);
	return missing();
}
