import { catalogue, faultCodes } from '../../shared/contract/errors.ts';
import type { Described, Reference, Schema } from './reference.ts';

const HEAD = `# Made from the OpenAPI document by \`npm run generate:clients\`; do not edit.
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, TypedDict, Union, overload
from urllib.parse import quote

from ._keys import new_key
`;

/** What errors and iterators give, and no operation names */
const GIVEN_BESIDE = ['Fault', 'Alternative', 'Event'];

/**
 * The source of `clients/python/src/slotwise/_api.py`: a TypedDict for each object, a method for each operation, and an
 * iterator for each list of pages.
 */
export function pythonApi(reference: Reference): string {
	const types = new Types(reference);
	const methods = Object.entries(reference.paths).flatMap(([path, byMethod]) =>
		Object.entries(byMethod).flatMap(([method, described]) => new Method(types, path, method, described).source()),
	);
	for (const name of GIVEN_BESIDE) types.of({ $ref: `#/components/schemas/${name}` }, name);
	const codes = [
		['ErrorCode', 'Codes of errors that there were when this was made; others may come.', Object.keys(catalogue)],
		['FaultCode', 'Likewise, of faults of single fields.', faultCodes],
	] as const;
	const literals = codes.map(
		([name, comment, all]) => `# ${comment}\n${name} = Literal[\n${all.map((one) => `    "${one}",\n`).join('')}]\n`,
	);
	const names = [...types.names(), ...codes.map(([name]) => name)].sort();
	const all = `__all__ = [\n${names.map((name) => `    "${name}",\n`).join('')}]\n`;
	return [HEAD, all, types.source(), ...literals, operations(methods.join('\n'))].join('\n');
}

function operations(methods: string): string {
	return `
class Operations:
    """A method for each operation of the reference, and one that iterates over each list."""

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, Optional[str]] = {},
        body: Any = None,
    ) -> Any:
        raise NotImplementedError

    def _rows(self, name: str, read: Callable[[int], Any]) -> Iterator[Any]:
        raise NotImplementedError

${methods}`;
}

/** The types of a module: each object is a class, under the name of its schema or of the place where it is. */
class Types {
	readonly reference: Reference;
	readonly #classes = new Map<string, string>();
	/** After the classes, for an alias is evaluated where it stands */
	readonly #aliases = new Map<string, string>();

	constructor(reference: Reference) {
		this.reference = reference;
	}

	names(): string[] {
		return [...this.#classes.keys(), ...this.#aliases.keys()];
	}

	source(): string {
		return `${[...this.#classes.values()].join('\n')}\n${[...this.#aliases.values()].join('')}`;
	}

	/** @param name of the class, where the schema is an object without a name of its own */
	of(schema: Schema, name: string): string {
		if (typeof schema.$ref === 'string') return this.#named(schema.$ref.split('/').at(-1)!);
		if ('const' in schema) return `Literal[${JSON.stringify(schema.const)}]`;
		if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map((one) => JSON.stringify(one)).join(', ')}]`;
		if (Array.isArray(schema.anyOf)) return this.#oneOf(schema.anyOf, name);
		if (schema.type === 'array') return `List[${this.of(schema.items as Schema, name)}]`;
		if (schema.type !== 'object') return scalar(schema.type, name);
		if (typeof schema.additionalProperties === 'object') {
			return `Dict[str, ${this.of(schema.additionalProperties as Schema, name)}]`;
		}
		return this.#classOf(schema, name);
	}

	#named(name: string): string {
		if (this.#classes.has(name) || this.#aliases.has(name)) return name;
		const schema = this.reference.components.schemas[name]!;
		if (schema.type === 'object' && !('additionalProperties' in schema)) return this.#classOf(schema, name);
		this.#aliases.set(name, '');
		this.#aliases.set(name, `${name} = ${this.of(schema, name)}\n`);
		return name;
	}

	#oneOf(schemas: Schema[], name: string): string {
		const some = schemas.filter(({ type }) => type !== 'null').map((schema) => this.of(schema, name));
		const one = some.length === 1 ? some[0]! : `Union[${some.join(', ')}]`;
		return some.length < schemas.length ? `Optional[${one}]` : one;
	}

	/** Two classes where some fields may be left out: `NotRequired` is younger than Python 3.9. */
	#classOf(schema: Schema, name: string): string {
		if (this.#classes.has(name)) return name;
		this.#classes.set(name, ''); // what it consists of may name it
		const required = (schema.required ?? []) as string[];
		const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([key, value]) => {
			if (!/^[a-z]\w*$/.test(key) || KEYWORDS.has(key)) throw new Error(`${name}.${key} cannot be a field of a class`);
			const type = this.of(value, name + pascal(key));
			return { isRequired: required.includes(key), text: `${comment(value, '    ')}    ${key}: ${type}\n` };
		});
		if (fields.length === 0) fields.push({ isRequired: true, text: '    pass\n' });
		const must = fields.filter(({ isRequired }) => isRequired).map(({ text }) => text);
		const may = fields.filter(({ isRequired }) => !isRequired).map(({ text }) => text);
		const classes: string[] = [];
		if (may.length === 0) classes.push(`class ${name}(TypedDict):\n${must.join('')}`);
		else if (must.length === 0) classes.push(`class ${name}(TypedDict, total=False):\n${may.join('')}`);
		else {
			classes.push(`class _${name}(TypedDict):\n${must.join('')}`);
			classes.push(`\nclass ${name}(_${name}, total=False):\n${may.join('')}`);
		}
		this.#classes.set(name, `\n${classes.join('\n')}`);
		return name;
	}
}

interface Argument {
	/** In Python */
	name: string;
	/** In the API */
	key: string;
	in: 'path' | 'query' | 'header' | 'body';
	required: boolean;
	type: string;
	/** Where it is not required; without it: None, which is not sent */
	fallback?: string;
	description: string | undefined;
}

/** The source of the methods of one operation. */
class Method {
	readonly #types: Types;
	readonly #path: string;
	readonly #method: string;
	readonly #described: Described;
	readonly #name: string;
	readonly #arguments: Argument[];

	constructor(types: Types, path: string, method: string, described: Described) {
		this.#types = types;
		this.#path = path;
		this.#method = method.toUpperCase();
		this.#described = described;
		this.#name = snake(described.operationId);
		this.#arguments = this.#argumentsOf(described);
	}

	source(): string[] {
		const forms = this.#forms();
		const [only] = forms;
		if (forms.length === 1) return [this.#whole(only!, this.#arguments), ...this.#iterator(only!)];
		const [special, usual] = forms as [string, string];
		const either = `Union[${special}, ${usual}]`;
		const having = (key: string, type: string, fallback?: string) =>
			this.#arguments.map((one) =>
				one.key === key ? { ...one, type, required: fallback === undefined, ...(fallback && { fallback }) } : one,
			);
		const overloads: [Argument[], string][] = this.#hasPreview
			? [
					[having('dry_run', 'Literal[True]'), special],
					[having('dry_run', 'Literal[False]', 'False'), usual],
					[having('dry_run', 'bool'), either],
				]
			: [
					[this.#arguments.filter((one) => one.in !== 'query'), special],
					[having('page', 'int'), usual],
					[this.#arguments, either],
				];
		const heads = overloads.map(([all, answer]) => `    @overload\n${this.#head(this.#name, all, answer)} ...\n`);
		return [...heads, this.#whole(either, this.#arguments), ...this.#iterator(usual)];
	}

	/** With `dry_run`, a change answers its preview. */
	get #hasPreview(): boolean {
		return this.#arguments.some(({ key }) => key === 'dry_run');
	}

	/**
	 * Types of the answer; where there are two, first the special one: a preview, or the plain array that a list is where
	 * the query is empty.
	 */
	#forms(): string[] {
		const answers = Object.values(this.#described.responses).flatMap(({ content }) => {
			const { schema } = content['application/json'];
			return (schema.anyOf as Schema[] | undefined) ?? [schema];
		});
		const isSpecial = (answer: Schema) =>
			this.#hasPreview ? 'impact' in propertiesOf(answer, this.#types.reference) : answer.type === 'array';
		const sorted = [...answers].sort((one, other) => Number(isSpecial(other)) - Number(isSpecial(one)));
		if (answers.length > 1 && (answers.length > 2 || !isSpecial(sorted[0]!) || isSpecial(sorted[1]!))) {
			throw new Error(`${this.#name}: nothing tells which answer comes`);
		}
		return sorted.map((answer) => this.#types.of(answer, `${pascal(this.#name)}Result`));
	}

	#argumentsOf({ parameters, requestBody }: Described): Argument[] {
		const given = parameters.map(({ name: key, in: place, required, schema }): Argument => {
			const name = snake(key);
			const type = this.#types.of(schema, pascal(name));
			const { description } = schema as { description?: string };
			return { name: KEYWORDS.has(name) ? `${name}_` : name, key, in: place, required, type, description };
		});
		if (requestBody === undefined) return given;
		const { schema } = requestBody.content['application/json'];
		const type = this.#types.of(schema, `${pascal(this.#name)}Body`);
		return [...given, { name: 'body', key: '', in: 'body', required: true, type, description: undefined }];
	}

	#head(name: string, all: readonly Argument[], answer: string): string {
		const path = all.filter((one) => one.in === 'path');
		const rest = all.filter((one) => one.in !== 'path');
		// What is required comes first, and the body before all.
		const ordered = [
			...rest.filter((one) => one.in === 'body'),
			...rest.filter((one) => one.in !== 'body' && one.required),
			...rest.filter((one) => !one.required),
		];
		const lines = ['self', ...path.map(({ name: one, type }) => `${one}: ${type}`)];
		if (ordered.length > 0) lines.push('*');
		for (const one of ordered) lines.push(one.required ? `${one.name}: ${one.type}` : optional(one));
		return `    def ${name}(\n${lines.map((line) => `        ${line},\n`).join('')}    ) -> ${answer}:`;
	}

	#whole(answer: string, all: readonly Argument[]): string {
		const path = this.#path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => `{quote(str(${snake(name)}), safe='')}`);
		const parts = [JSON.stringify(this.#method), `${path === this.#path ? '' : 'f'}"${path}"`];
		const mapped = (place: Argument['in']) => all.filter((one) => one.in === place);
		const query = mapped('query').map(({ key, name }) => `"${key}": ${name}`);
		if (query.length > 0)
			parts.push(`query={\n${query.map((pair) => `                ${pair},\n`).join('')}            }`);
		const headers = mapped('header').map(
			({ key, name }) => `"${key}": ${key === 'Idempotency-Key' ? `${name} or new_key()` : name}`,
		);
		if (headers.length > 0) parts.push(`headers={${headers.join(', ')}}`);
		if (mapped('body').length > 0) parts.push('body=body');
		return `${this.#head(this.#name, all, answer)}
${this.#docstring(this.#described.summary, all)}        data: ${answer} = self._call(
${parts.map((part) => `            ${part},\n`).join('')}        )
        return data
`;
	}

	#docstring(summary: string, all: readonly Argument[]): string {
		const told = all.filter(({ description }) => description !== undefined);
		if (told.length === 0) return `        """${summary}."""\n`;
		const lines = told.map(({ name, description }) => `        :param ${name}: ${description}\n`);
		return `        """${summary}.\n\n${lines.join('')}        """\n`;
	}

	/** `iter_bookings` beside `list_bookings`. */
	#iterator(answer: string): string[] {
		const { schemas } = this.#types.reference.components;
		const properties = (schemas[answer]?.properties ?? {}) as Record<string, Schema>;
		if (!('pagination' in properties)) return [];
		const [list] = Object.keys(properties).filter((name) => name !== 'pagination');
		const row = this.#types.of(properties[list!]!.items as Schema, pascal(list!));
		const kept = this.#arguments.filter(({ key }) => !['page', 'page_size', 'no_pagination'].includes(key));
		const size = this.#arguments.find(({ key }) => key === 'page_size')!;
		const passed = kept.map((one) => (one.in === 'path' ? one.name : `${one.name}=${one.name}`));
		const call = `self.${this.#name}(${[...passed, 'page=page', 'page_size=page_size'].join(', ')})`;
		const all = [...kept, { ...size, required: false, fallback: '100' }];
		const name = this.#name.replace(/^list_/, 'iter_');
		return [
			`${this.#head(name, all, `Iterator[${row}]`)}
${this.#docstring(`${this.#described.summary}: every row, page by page`, [...kept, size])}        return self._rows("${list}", lambda page: ${call})
`,
		];
	}
}

function propertiesOf(schema: Schema, { components }: Reference): object {
	const named = typeof schema.$ref === 'string' ? components.schemas[schema.$ref.split('/').at(-1)!] : schema;
	return (named?.properties ?? {}) as object;
}

function scalar(type: unknown, name: string): string {
	const python = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[String(type)];
	if (python === undefined) throw new Error(`${name}: no type of Python is a ${JSON.stringify(type)}`);
	return python;
}

function optional({ name, type, fallback }: Argument): string {
	return fallback === undefined ? `${name}: Optional[${type}] = None` : `${name}: ${type} = ${fallback}`;
}

function comment({ description }: Schema, indent: string): string {
	return description === undefined ? '' : `${indent}# ${description}\n`;
}

function snake(name: string): string {
	return name
		.replaceAll('-', '_')
		.replaceAll(/([a-z])([A-Z])/g, '$1_$2')
		.toLowerCase();
}

function pascal(name: string): string {
	return name.replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

const KEYWORDS = new Set(
	`False None True and as assert async await break class continue def del elif else except finally for from global if
	import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);
