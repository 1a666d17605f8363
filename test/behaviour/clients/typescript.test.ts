import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient, type Event, verifyWebhook } from '../../../clients/typescript/src/index.ts';
import { dateOn } from '../../support/calendar.ts';
import { book, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The Node that runs the tests, the one in the path, and those that `TEST_NODES` names, separated by colons. */
const NODES = new Set([process.execPath, 'node', ...(process.env.TEST_NODES ?? '').split(':').filter(Boolean)]);

function account() {
	const http = newAccount();
	return { http, slotwise: createClient({ baseUrl: http.url, apiKey: http.key! }) };
}

/** A project of a user's own: nothing but the tarball, and no network. */
describe('The TypeScript client, installed from its tarball', () => {
	const project = mkdtempSync(join(tmpdir(), 'slotwise-client-'));

	beforeAll(async () => {
		await run('npm', ['pack', '--pack-destination', project], { cwd: join(root, 'clients/typescript') });
		const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!;
		writeFileSync(join(project, 'package.json'), '{"type": "module"}');
		await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: project });
		cpSync(join(root, 'clients/typescript/example.ts'), join(project, 'example.ts'));
	});
	afterAll(() => rmSync(project, { recursive: true, force: true }));

	/** Strictly, with the declarations of the client itself checked, too */
	const compile = async (file: string) => {
		const options = { strict: true, skipLibCheck: false, target: 'es2022', module: 'nodenext', types: [] };
		writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }));
		const compiled = run(process.execPath, [join(root, 'node_modules/typescript/lib/tsc.js'), '-p', project]);
		return compiled.then(
			() => '',
			({ stdout }: { stdout: string }) => stdout,
		);
	};

	test('When it is installed, then it brings nothing else', () => {
		const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
		expect(installed).toEqual(['@slotwise']);
		expect(readdirSync(join(project, 'node_modules/@slotwise'))).toEqual(['client']);
		const { dependencies, scripts } = JSON.parse(
			readFileSync(join(project, 'node_modules/@slotwise/client/package.json'), 'utf8'),
		);
		expect([dependencies, scripts.install, scripts.postinstall]).toEqual([undefined, undefined, undefined]);
	});

	test('When the example is compiled strictly and run on each Node, then it books once', async () => {
		expect(await compile('example.ts')).toBe('');
		for (const node of NODES) {
			const { url, key } = newAccount();
			const env = { PATH: process.env.PATH, API: url, KEY: key };
			const { stdout } = await run(node, [join(project, 'example.js')], { env });
			const [free, first, repeated, refused, listed, ...events] = stdout.trim().split('\n');
			expect(free).toMatch(/^4 free on \d{4}-\d\d-\d\dT09:00:00\+0[12]:00 \(Europe\/Berlin\)$/);
			expect(first).toMatch(/^booking \d+ is pending$/);
			expect([repeated, refused]).toEqual([first, 'refused: duplicate booking']);
			expect(listed).toBe(`listed: ${/\d+/.exec(first!)}`);
			expect(events.every((event) => event === 'event: booking.created')).toBe(true);
		}
	});

	test.each([
		['a field', "createBooking({ body: { date: '2026-11-23', time_slot: 7 } })", /time_slot/],
		['a parameter', 'getBooking({ booking: 7 })', /bookingId|booking/],
		['the name of a list', "each('getBooking')", /getBooking/],
	])('When somebody mistypes %s, then the compiler says so', async (_what, call, told) => {
		const text = `import { createClient } from '@slotwise/client';
await createClient({ baseUrl: '', apiKey: '' }).${call};\n`;
		writeFileSync(join(project, 'typo.ts'), text);
		const errors = await compile('typo.ts');
		expect(errors).toMatch(/typo\.ts\(2,\d+\): error TS\d+/);
		expect(errors).toMatch(told);
	});

	test('When a change is tried out, then the compiler tells its answer from that of the change', async () => {
		const text = `import { createClient } from '@slotwise/client';
const { updateService } = createClient({ baseUrl: '', apiKey: '' });
const { impact } = await updateService({ serviceId: 1, body: { name: 'x' }, dryRun: true });
const { name } = await updateService({ serviceId: 1, body: { name: 'x' } });
const wrong = (await updateService({ serviceId: 1, body: { name: 'x' } })).impact;\n`;
		writeFileSync(join(project, 'preview.ts'), text);
		expect((await compile('preview.ts')).match(/preview\.ts\(\d+/g)).toEqual(['preview.ts(5']);
	});
});

describe('The TypeScript client', () => {
	test('When a list has several pages, then the iterator passes over all of them, in order', async () => {
		const { http, slotwise } = account();
		const place = await slotOn(http, { max_bookings: 100 });
		const ids: number[] = [];
		for (let number = 0; number < 7; number++) ids.push((await book(http, place)).id);
		const rows: number[] = [];
		const args = { serviceId: place.slot.service_id, pageSize: 3 };
		for await (const { id } of slotwise.each('listBookings', args)) rows.push(id);
		expect(rows).toEqual(ids);
		for await (const slot of slotwise.each('listTimeSlots')) expect(slot.id).toBe(place.slot.id);
		for await (const webhook of slotwise.each('listWebhooks')) expect(webhook).toBe('none');
	});

	test('When something happens, then who follows the feed hears of it, and goes on where they stopped', async () => {
		const { http, slotwise } = account();
		const place = await slotOn(http);
		const seen: Event[] = [];
		const follow = async (after: number, number: number) => {
			for await (const event of slotwise.events({ after })) if (seen.push(event) === number) return;
		};
		const following = follow(0, 1);
		const { id, date } = await slotwise.createBooking({ body: { date: place.date, time_slot_id: place.slot.id } });
		await following;
		await slotwise.updateBooking({ bookingId: id, body: { status: 'cancelled', cancel_reason: 'ill' } });
		await follow(seen[0]!.sequence, 2);
		expect(seen.map(({ type }) => type)).toEqual(['booking.created', 'booking.cancelled']);
		expect(seen[0]).toMatchObject({ sequence: 1, data: { id, date } });
	});

	test('W7: When the feed ends before where somebody stopped, then who follows it is told so', async () => {
		const { http, slotwise } = account();
		await book(http, await slotOn(http));
		await until(async () => (await slotwise.listEvents()).events.length === 1);
		const told = {
			name: 'SlotwiseError',
			status: 410,
			code: 'events_expired',
			message: expect.stringContaining('read the bookings anew, then go on with after=0'),
		};
		const types: Event['type'][] = ['booking.deleted'];
		for (const options of [{}, { follow: false }, { types }]) {
			await expect(slotwise.events({ ...options, after: 2 }).next()).rejects.toMatchObject(told);
			await expect(slotwise.eventPages({ ...options, after: 2 }).next()).rejects.toMatchObject(told);
		}
		const events = slotwise.events({ after: 0 });
		expect((await events.next()).value).toMatchObject({ sequence: 1 });
	});

	test('When a follower gives up, then the long poll ends', async () => {
		const { slotwise } = account();
		const stop = new AbortController();
		const following = (async () => {
			for await (const event of slotwise.events({ signal: stop.signal })) throw new Error(`who made ${event.id}?`);
		})();
		stop.abort(new Error('enough'));
		await expect(following).rejects.toThrow('enough');
	});

	test('When a booking is refused, then the error has code, faults and alternatives', async () => {
		const { http, slotwise } = account();
		const place = await slotOn(http, { day_of_week: 1, max_bookings: 1 });
		await book(http, place);
		const body = { date: place.date, time_slot_id: place.slot.id };
		const full = slotwise.createBooking({ body, alternatives: 2 });
		await expect(full).rejects.toMatchObject({
			name: 'SlotwiseError',
			status: 400,
			code: 'time_slot_full',
			message: 'time slot is full',
			alternatives: [{ time_slot_id: place.slot.id, remaining: 1 }, expect.anything()],
			requestId: expect.stringMatching(/./),
		});
		const wrong = slotwise.createBooking({ body: { ...body, date: dateOn(2) } });
		await expect(wrong).rejects.toMatchObject({
			code: 'invalid_request',
			faults: [{ field: 'date', code: 'wrong_weekday' }],
		});
	});

	test('When two change what both have read, then the second is told', async () => {
		const { http, slotwise } = account();
		const { id, version } = await book(http, await slotOn(http));
		const change = (message: string) => slotwise.updateBooking({ bookingId: id, body: { message, version } });
		expect(await change('one')).toMatchObject({ message: 'one', version: version + 1 });
		await expect(change('two')).rejects.toMatchObject({ code: 'version_conflict' });
		await slotwise.deleteBooking({ bookingId: id, ifMatch: `"${version + 1}"` });
	});

	test('When a webhook is called, then verifyWebhook takes it, and refuses it under another secret', async () => {
		const { slotwise } = account();
		const receiver = await WebhookReceiver.start();
		try {
			const { id, secret } = await slotwise.createWebhook({ body: { url: receiver.url('/hook') } });
			await slotwise.testWebhook({ webhookId: id });
			await until(() => receiver.of('/hook').length > 0);
			const { body, headers } = receiver.of('/hook')[0]!;
			expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: 'webhook.test' });
			await expect(verifyWebhook(body, headers, 'whsec_AAAA')).rejects.toThrow('no signature');
		} finally {
			await receiver.stop();
		}
	});
});
