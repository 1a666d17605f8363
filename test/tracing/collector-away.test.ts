import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { TraceCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import { startTraced } from './traced-product.ts';

const COMPLAINT = 'spans of traces are lost; nothing else is';
/** Loaded by a process before its program */
const NODE_OPTIONS = `--import=${resolve(import.meta.dirname, 'loaded-modules.mjs')} --disable-warning=ExperimentalWarning`;

const logOf = ({ processes }: Product) => readFileSync(processes[0]!.logFile, 'utf8');
const count = (text: string, words: string) => text.split(words).length - 1;

async function bookOne(product: Product): Promise<void> {
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	await book(client, await slotOn(client), newCustomer());
}

describe('What traces may not do', () => {
	test('When no collector is configured, then nothing of OpenTelemetry but its API is loaded', async () => {
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env: { NODE_OPTIONS } });
		try {
			await bookOne(product);
			await until(() => logOf(product).includes('"operation":"createBooking"'), { what: 'the line of the request' });
			expect(logOf(product)).not.toContain('loaded @opentelemetry');
			expect(logOf(product)).not.toContain('trace_id');
		} finally {
			await product.stop();
		}
	});

	test('When a collector is configured, then the modules are loaded: the test before would see them', async () => {
		const traced = await startTraced({ form: 'embedded', env: { NODE_OPTIONS } });
		try {
			expect(logOf(traced.product)).toContain('loaded @opentelemetry/sdk-trace');
		} finally {
			await traced.stop();
		}
	});

	test('When nobody listens where the collector should be, then requests are served, and one line says so', async () => {
		const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env });
		try {
			await bookOne(product);
			await until(() => logOf(product).includes(COMPLAINT), { what: 'the complaint' });
			await bookOne(product);
			expect(await product.processes[0]!.stop()).toBe(0);
			expect(count(logOf(product), COMPLAINT)).toBe(1);
		} finally {
			await product.stop();
		}
	});

	test('When the collector hangs, then requests are served, and the process ends without its answer', async () => {
		const collector = await TraceCollector.start();
		collector.mode = 'hangs';
		const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env });
		try {
			await bookOne(product);
			await until(() => collector.bodies.length > 0, { what: 'a message to the collector' });
			await bookOne(product);
			expect(await product.processes[0]!.stop()).toBe(0);
			expect(logOf(product)).not.toContain(COMPLAINT); // its time was not over: nobody waited for it
		} finally {
			await product.stop();
			await collector.stop();
		}
	});
});
