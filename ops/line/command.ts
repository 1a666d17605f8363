import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Parser } from '../../shared/config/parsers.ts';
import type { CommandEvent, Page } from '../../shared/contract/account-reports.ts';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';
import { isRefused, type Refused } from '../../shared/contract/refused.ts';

interface Described {
	/** To be read in a help text */
	meaning: string;
}

/** An argument by its position; `optional` ones come last. */
export interface Parameter<T = unknown> extends Described {
	/** Throws `Malformed` with what is wrong, to be read after the argument's name */
	parse: Parser<T>;
	optional?: boolean;
}

/** `--name`, or `--name <placeholder>` where it has a value. */
export interface Option<T = unknown> extends Described {
	placeholder?: string;
	parse?: Parser<T>;
	/** The command does not go without it */
	required?: true;
}

export type Parameters = Record<string, Parameter>;
export type Options = Record<string, Option>;

type ParsedParameters<P extends Parameters> = {
	[K in keyof P]: ReturnType<P[K]['parse']> | (P[K] extends { optional: true } ? undefined : never);
};
type ParsedOptions<O extends Options> = {
	[K in keyof O]: O[K] extends { parse: Parser<infer T> }
		? T | (O[K] extends { required: true } ? never : undefined)
		: boolean;
};

/** What a command answers: for a program, and for a person. */
export interface Outcome {
	/** JSON */
	data: unknown;
	text: string;
	/** 0 where nothing is said; 1 where an operator should look */
	exitCode?: 0 | 1;
	/** The words that go on from here, for a command line that follows what happens */
	next?: string[];
}

/** A command of the operators, the same on the command line and in the REPL. */
export interface Command {
	/** One or two words, such as `slots show` */
	name: string;
	summary: string;
	parameters: Parameters;
	options: Options;
	/** Services that must be on the bus; where it needs none, it runs without one */
	needs: readonly string[];
	/** @throws ApiError, NotFound */
	run(broker: ServiceBroker, values: never): Promise<Outcome>;
	/** What the command line does in place of `run`, in its own process */
	here?(program: Program, values: never): Promise<Outcome>;
}

/** What an embedded process carries out for a command in another process. */
export type AskedAction = ActionName & `ops.${string}`;

/** The command line, to a command that it carries out itself. */
export interface Program {
	config: Config;
	/**
	 * Asks an embedded process that runs on its `DATA_DIR`.
	 * @throws CommandFailed where there is none
	 */
	ask<K extends AskedAction>(action: K, params: Params<K>): Promise<Result<K>>;
	/** Joins the bus of a cluster; undefined where it cannot be reached. */
	join(): Promise<ServiceBroker | undefined>;
}

/** Writes a command with the types of its arguments. */
export function command<P extends Parameters, O extends Options>(
	definition: Omit<Command, 'parameters' | 'options' | 'run'> & {
		parameters: P;
		options: O;
		run(broker: ServiceBroker, values: ParsedParameters<P> & ParsedOptions<O>): Promise<Outcome>;
	},
): Command {
	return definition;
}

/** Writes a command that reads and writes files, or a store that nobody serves: the command line alone has it. */
export function commandHere<P extends Parameters, O extends Options>(
	definition: Pick<Command, 'name' | 'summary'> & {
		parameters: P;
		options: O;
		here(program: Program, values: ParsedParameters<P> & ParsedOptions<O>): Promise<Outcome>;
	},
): Command {
	const { name } = definition;
	const elsewhere = () => Promise.reject(new UsageError(`${name} is for the command line: npm run ops -- ${name}.`));
	return { ...definition, needs: [], run: elsewhere };
}

/** It failed, or found something that ends it: one sentence, exit code 1. */
export class CommandFailed extends Error {}

/** Bad input: one sentence, exit code 2, nothing changed. */
export class UsageError extends Error {}

/**
 * To be asked before a list of an account's things that may be empty: an operator who reads "no events" of a mistyped
 * account would believe it.
 * @throws UsageError where there is no such account
 */
export async function assertKnownAccount(broker: ServiceBroker, account_id: string): Promise<void> {
	accepted(await call(broker, 'accounts.showAccount', { account_id }));
}

/** Tells the operator log of a command, before it begins: there is no change without an entry. */
export async function recordCommand(broker: ServiceBroker, event: CommandEvent, subject: string): Promise<void> {
	await call(broker, 'accounts.recordCommand', { event, subject });
}

/** Every row of a list that comes in pages. */
export async function allPages<Row, Cursor>(
	read: (after: Cursor | undefined) => Promise<Page<Row, Cursor>>,
): Promise<Row[]> {
	const all: Row[] = [];
	let after: Cursor | undefined;
	for (;;) {
		const { rows, next } = await read(after);
		all.push(...rows);
		if (next === null) return all;
		after = next;
	}
}

/**
 * The answer, where there is one.
 * @throws UsageError with the sentence of a refusal
 */
export function accepted<T extends object>(answer: T | Refused): T {
	if (isRefused(answer)) throw new UsageError(answer.refused);
	return answer;
}
