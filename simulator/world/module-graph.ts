import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

type Evaluate = (exports: object, require: Require, module: Module, file: string, directory: string) => void;
type Require = ((name: string) => unknown) & { resolve(name: string): string };
interface Module {
	exports: object;
}

/**
 * Packages that have state, or draw from chance when they are loaded: each process has its own, as in an operating
 * system. All others are loaded once for all processes, before the first world begins.
 */
const OWN = /\/node_modules\/(moleculer|nats|nkeys\.js|tweetnacl|ioredis|@ioredis|mongoose|mongodb|mquery|kareem|mpath|bson)\//;

const compiled = new Map<string, Evaluate>();
const resolved = new Map<string, string>();
const native = new Map<string, NodeJS.Require>();

/** The CommonJS modules of one simulated process. */
export class ModuleGraph {
	readonly #modules = new Map<string, Module>();

	load(file: string): object {
		const known = this.#modules.get(file);
		if (known) return known.exports;
		const module: Module = { exports: {} };
		this.#modules.set(file, module);
		if (file.endsWith('.json')) module.exports = JSON.parse(readFileSync(file, 'utf8')) as object;
		else evaluator(file).call(module.exports, module.exports, this.#requireOf(file), module, file, dirname(file));
		return module.exports;
	}

	#requireOf(file: string): Require {
		const require = (name: string) => {
			if (name === 'module' || name === 'node:module') return this.#module;
			if (isBuiltin(name)) return nativeRequire(file)(name);
			const target = resolve(file, name);
			return OWN.test(target) && isCommonJs(target) ? this.load(target) : nativeRequire(file)(target);
		};
		return Object.assign(require, { resolve: (name: string) => resolve(file, name) });
	}

	/** `createRequire` gives what belongs to this process, too. */
	readonly #module = Object.assign(Object.create(nativeRequire(import.meta.filename)('node:module')), {
		createRequire: (from: string | URL) => this.#requireOf(String(from).replace(/^file:\/\//, '')),
	});
}

function evaluator(file: string): Evaluate {
	let evaluate = compiled.get(file);
	if (evaluate === undefined) {
		const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
		const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
		evaluate = new Script(wrapped, { filename: file }).runInThisContext() as Evaluate;
		compiled.set(file, evaluate);
	}
	return evaluate;
}

function nativeRequire(file: string): NodeJS.Require {
	let require = native.get(file);
	if (require === undefined) {
		require = createRequire(file);
		native.set(file, require);
	}
	return require;
}

function resolve(file: string, name: string): string {
	const key = `${dirname(file)}\n${name}`;
	let target = resolved.get(key);
	if (target === undefined) {
		target = nativeRequire(file).resolve(name);
		resolved.set(key, target);
	}
	return target;
}

const types = new Map<string, boolean>();

function isCommonJs(file: string): boolean {
	if (file.endsWith('.cjs') || file.endsWith('.json')) return true;
	const directory = dirname(file);
	let type = types.get(directory);
	if (type === undefined) {
		type = packageType(directory) !== 'module';
		types.set(directory, type);
	}
	return type;
}

function packageType(directory: string): string | undefined {
	if (directory.length <= 1) return undefined;
	try {
		return (JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { type?: string }).type;
	} catch {
		return packageType(dirname(directory));
	}
}

/** Loads and forgets it: what all processes share is there then, and no world is the first one. */
export function loadOnce(file: string): void {
	new ModuleGraph().load(file);
}
