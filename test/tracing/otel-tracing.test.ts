import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ApiError } from '../../shared/contract/errors.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { samplerOf } from '../../shared/tracing/export-traces.ts';
import { OtelTracing } from '../../shared/tracing/otel-tracing.ts';
import { tracedLock } from '../../shared/tracing/spans.ts';
import { type Tracing, useTracing } from '../../shared/tracing/tracing.ts';
import { keyOf } from '../support/account-keys.ts';

interface Question {
	account_id: string;
	number: number;
}

const question = (number: number): Question => ({ account_id: 'acc_test', number });

describe('Spans', () => {
	const memory = new InMemorySpanExporter();
	let tracing: Tracing;

	const open = (...sampler: Parameters<typeof samplerOf>) => {
		const spanProcessors = [new SimpleSpanProcessor({ exporter: memory })];
		const provider = new TracerProvider({ sampler: samplerOf(...sampler), spanProcessors });
		return new OtelTracing(provider.getTracer('test'), () => provider.shutdown());
	};
	const span = (name: string): ReadableSpan => {
		const found = memory.getFinishedSpans().filter((one) => one.name === name);
		expect(found).toHaveLength(1);
		return found[0]!;
	};
	const parentOf = (one: ReadableSpan) => one.parentSpanContext?.spanId;
	const linksOf = (one: ReadableSpan) => one.links.map(({ context }) => context.spanId);

	beforeEach(() => {
		memory.reset();
		tracing = open('parentbased_always_on', 1);
		useTracing(tracing);
	});
	afterEach(() => useTracing(undefined));

	/** Asks within a span of its own. */
	const asked = <T>(name: string, work: () => Promise<T>) => tracing.span(name, {}, work);

	test('When a batch serves one request, then its work is a part of that one', async () => {
		const gatherer = new Gatherer<Question, number>((keys) =>
			asked('load', async () => keys.map(({ number }) => number)),
		);
		await asked('request', () => gatherer.ask(question(1)));
		expect(parentOf(span('load'))).toBe(span('request').spanContext().spanId);
		expect(memory.getFinishedSpans()).toHaveLength(2);
	});

	test('When a batch serves several, then it is a part of the first, and it and the others link to each other', async () => {
		const gatherer = new Gatherer<Question, number>((keys) =>
			asked('load', async () => keys.map(({ number }) => number)),
		);
		await Promise.all(['one', 'two', 'three'].map((name, index) => asked(name, () => gatherer.ask(question(index)))));
		const [one, two, three] = [span('one'), span('two'), span('three')];
		const batch = span('batch');
		expect(parentOf(batch)).toBe(one.spanContext().spanId);
		expect(linksOf(batch)).toEqual([two.spanContext().spanId, three.spanContext().spanId]);
		expect([linksOf(one), linksOf(two), linksOf(three)]).toEqual([
			[],
			[batch.spanContext().spanId],
			[batch.spanContext().spanId],
		]);
		expect(batch.attributes).toEqual({ 'slotwise.batch.size': 3 });
		expect(parentOf(span('load'))).toBe(batch.spanContext().spanId);
	});

	test('When a batch leaves after another one, then it is no part of that one', async () => {
		let free = () => {};
		const held = new Promise<void>((resolve) => {
			free = resolve;
		});
		const load = async (keys: Question[]) => {
			const numbers = keys.map(({ number }) => number);
			return asked(`load ${numbers}`, () => held.then(() => numbers));
		};
		const gatherer = new Gatherer<Question, number>(load, { maxInFlight: 1 });
		const first = asked('first', () => gatherer.ask(question(1)));
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
		const second = asked('second', () => gatherer.ask(question(2)));
		const nobody = gatherer.ask(question(3));
		free();
		await Promise.all([first, second, nobody]);
		expect(parentOf(span('load 1'))).toBe(span('first').spanContext().spanId);
		expect(parentOf(span('load 2,3'))).toBe(span('second').spanContext().spanId);
	});

	test('When the first of a batch is not sampled, then it is a part of one that is', async () => {
		const left = tracing.remote(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`)!;
		await asked('kept', () => tracing.batch('batch', [left, undefined, tracing.current()], async () => {}));
		expect(parentOf(span('batch'))).toBe(span('kept').spanContext().spanId);
	});

	test('When work fails, then its span has the name of the error and never its message', async () => {
		const secret = new Error('zebulon@leak.example');
		await expect(asked('bug', () => Promise.reject(secret))).rejects.toBe(secret);
		await expect(asked('down', () => Promise.reject(new ApiError('service_unavailable')))).rejects.toThrow();
		await expect(asked('full', () => Promise.reject(new ApiError('time_slot_full')))).rejects.toThrow();
		await expect(asked('taken', () => Promise.reject(Object.assign(secret, { code: 11_000 })))).rejects.toThrow();
		const seen = ['bug', 'down', 'full', 'taken'].map(span).map(({ status, attributes }) => [status, attributes]);
		expect(seen).toEqual([
			[{ code: 2 }, { 'error.type': 'Error' }],
			[{ code: 2 }, { 'error.type': 'service_unavailable' }],
			[{ code: 0 }, { 'slotwise.refusal': 'time_slot_full' }],
			[{ code: 0 }, { 'slotwise.refusal': 'duplicate_key' }],
		]);
	});

	test('When a lock is waited for, then wait and lease are spans of the request; without one there are none', async () => {
		const lock = tracedLock(localFairLock(), tracing);
		const unseen = await lock.acquire(keyOf(7, '2026-01-05'));
		const waiting = asked('request', () => lock.acquire(keyOf(7, '2026-01-05')));
		await unseen!.release();
		const lease = await waiting;
		expect(memory.getFinishedSpans().map(({ name }) => name)).toEqual(['lock wait', 'request']);
		expect(await Promise.all([lease!.release(), lease!.release()])).toEqual([true, true]);
		const request = span('request').spanContext().spanId;
		expect([parentOf(span('lock wait')), parentOf(span('lock hold'))]).toEqual([request, request]);
		expect(span('lock wait').attributes).toEqual({
			'slotwise.lock.key': keyOf(7, '2026-01-05'),
			'slotwise.lock.granted': true,
		});
		await lock.close();
	});

	test.each([
		['always_off', 1, []],
		['traceidratio', 0, []],
		['traceidratio', 1, ['own', 'kept', 'left']],
		['parentbased_always_off', 1, ['kept']],
		['parentbased_traceidratio', 0, ['kept']],
		['parentbased_always_on', 1, ['own', 'kept']],
	] as const)('When the sampler is %s with %d, then %j are kept', async (name, ratio, kept) => {
		const sampled = open(name, ratio);
		const from = (flags: string) => sampled.remote(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-${flags}`);
		sampled.start('own').end();
		sampled.start('kept', { parent: from('01') }).end();
		sampled.start('left', { parent: from('00') }).end();
		expect(memory.getFinishedSpans().map((one) => one.name)).toEqual(kept);
	});
});
