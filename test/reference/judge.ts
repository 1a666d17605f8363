import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../support/http-client.ts';
import { type Described, type Document, type Header, operationsOf, resolved, type Schema } from './document.ts';

/** Headers that every HTTP server and this API's policy add; a document of an API does not list them. */
const TRANSPORT = new Set([
	...['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'cache-control', 'vary'],
	...['x-content-type-options', 'content-security-policy', 'referrer-policy', 'cross-origin-resource-policy'],
]);

/** Compares answers with what an OpenAPI document says: status, headers, body, and that there is nothing beyond it. */
export class Judge {
	readonly document: Document;
	readonly #ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
	/** By name, and by text: many answers are of one schema, which is dear to compile */
	readonly #validators = new Map<string, ValidateFunction>();

	constructor(document: Document) {
		this.document = document;
		(addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
		for (const word of ['components', 'example']) this.#ajv.addKeyword(word);
		this.#ajv.addSchema({ $id: 'document', components: closed(document.components) });
	}

	get operations(): Described[] {
		return operationsOf(this.document);
	}

	/** What of an answer is not as the document says; empty where all is. */
	faultsOf({ operation }: Described, answer: Answer): string[] {
		const response = operation.responses[answer.status];
		if (response === undefined) return [`status ${answer.status} is not declared: ${answer.text.slice(0, 300)}`];
		const headers = Object.entries(response.headers).map(
			([name, header]) => [name.toLowerCase(), resolved<Header>(this.document, header)] as const,
		);
		const faults = this.#headerFaults(new Map(headers), answer);
		const schema = response.content?.['application/json']?.schema;
		if (schema === undefined) return answer.text === '' ? faults : [...faults, 'there is a body and none is declared'];
		const validate = this.#validator(`${operation.operationId} ${answer.status}`, schema);
		if (validate(answer.body)) return faults;
		return [...faults, `${this.#ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 300)}`];
	}

	#headerFaults(declared: Map<string, Header>, { headers }: Answer): string[] {
		const faults: string[] = [];
		for (const name of Object.keys(headers)) {
			if (!declared.has(name) && !TRANSPORT.has(name)) faults.push(`header ${name} is not declared`);
		}
		for (const [name, { required, schema }] of declared) {
			const text = headers[name];
			if (text === undefined && required) faults.push(`header ${name} is missing`);
			if (text === undefined) continue;
			const value = schema.type === 'integer' ? Number(text) : text;
			if (!this.#validator(`header ${name}`, schema)(value)) faults.push(`header ${name} is ${String(text)}`);
		}
		return faults;
	}

	#validator(name: string, schema: Schema): ValidateFunction {
		let validator = this.#validators.get(name);
		if (validator === undefined) {
			const text = JSON.stringify(schema);
			validator = this.#validators.get(text) ?? this.#ajv.compile(ofDocument(closed(schema)));
			this.#validators.set(name, validator).set(text, validator);
		}
		return validator;
	}
}

/** The same schema, with its references to the document, whose components are compiled once for all that name them. */
function ofDocument(schema: unknown): object {
	return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
}

/** A schema that takes no field that it does not name: clients may ignore those, but ours are all described. */
function closed(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(closed);
	if (typeof schema !== 'object' || schema === null) return schema;
	const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
	return copy.type === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}
