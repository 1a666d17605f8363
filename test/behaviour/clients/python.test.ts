import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { emptyDirectory, missing, PYTHON, pythonEnv } from '../../clients/python.ts';
import { eventsUpTo } from '../../support/feed.ts';
import { book, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';

const source = resolve(import.meta.dirname, '../../../clients/python');
const run = promisify(execFile);

/** The Python of the tests, and those that `TEST_PYTHONS` names, separated by colons. */
const PYTHONS = [PYTHON, ...(process.env.TEST_PYTHONS ?? '').split(':').filter(Boolean)];

const why = missing.python ?? missing.builder;
const described = why === undefined ? describe : describe.skip;
const withMypy = missing.mypy === undefined ? test : test.skip;

/** Environments of a user's own: nothing but the client, and no network. */
described(`The Python client, installed${why === undefined ? '' : ` (${why})`}`, () => {
	const project = emptyDirectory();
	const pythons = PYTHONS.map((_python, number) => join(project, `env-${number}/bin/python`));
	const env = (given?: Record<string, string>) =>
		pythonEnv({ PIP_NO_INDEX: '1', PIP_CONFIG_FILE: '/dev/null', ...given });
	const pip = (python: string, ...args: string[]) =>
		run(python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args], { env: env(), cwd: project });

	beforeAll(async () => {
		cpSync(source, join(project, 'source'), { recursive: true });
		const build = `import os; os.chdir('source'); os.mkdir('../dist')
from flit_core import buildapi
buildapi.build_wheel('../dist')
buildapi.build_sdist('../dist')`;
		await run(PYTHON, ['-c', build], { env: env(), cwd: project });
		for (const [number, python] of PYTHONS.entries()) {
			await run(python, ['-m', 'venv', join(project, `env-${number}`)], { env: env() });
			await pip(pythons[number]!, 'install', './dist/slotwise-0.1.0-py3-none-any.whl');
		}
	}, 240_000);
	afterAll(() => rmSync(project, { recursive: true, force: true }));

	const written = (name: string, text: string) => {
		mkdirSync(join(project, 'scripts'), { recursive: true });
		const file = join(project, 'scripts', name);
		writeFileSync(file, text);
		return file;
	};
	/** @returns its lines */
	const script = async (text: string, { url, key }: { url: string; key?: string }, ...args: string[]) => {
		const file = written(
			'script.py',
			`import os, sys, json, itertools\nfrom slotwise import *
slotwise = Slotwise(os.environ['API'], os.environ['KEY'])\n${text}`,
		);
		const { stdout } = await run(pythons[0]!, [file, ...args], { env: env({ API: url, KEY: key! }) });
		return stdout.trim().split('\n');
	};

	test('When it is packed, then it is typed and brings nothing else', async () => {
		expect(readdirSync(join(project, 'dist')).sort()).toEqual([
			'slotwise-0.1.0-py3-none-any.whl',
			'slotwise-0.1.0.tar.gz',
		]);
		const { stdout } = await run(pythons[0]!, ['-m', 'pip', '--disable-pip-version-check', 'show', '-f', 'slotwise']);
		expect(stdout).toMatch(/^Version: 0\.1\.0$/m);
		expect(stdout).toMatch(/^Requires: *$/m);
		expect(stdout).toContain('slotwise/py.typed');
		const init = readFileSync(join(source, 'src/slotwise/__init__.py'), 'utf8');
		expect(init).toContain('__version__ = "0.1.0"');
		// What the source distribution has is enough to build the wheel.
		await run('tar', ['-xzf', join(project, 'dist/slotwise-0.1.0.tar.gz'), '-C', project]);
		const again = `import os; os.chdir('slotwise-0.1.0'); from flit_core import buildapi; print(buildapi.build_wheel('.'))`;
		expect((await run(PYTHON, ['-c', again], { env: env(), cwd: project })).stdout.trim()).toMatch(/\.whl$/);
	});

	test('When the example is run on each Python, then it books once', async () => {
		for (const python of pythons) {
			const { url, key } = newAccount();
			const { stdout } = await run(python, [join(source, 'example.py')], { env: env({ API: url, KEY: key! }) });
			const [free, first, repeated, refused, listed, ...events] = stdout.trim().split('\n');
			expect(free).toMatch(/^4 free on \d{4}-\d\d-\d\dT09:00:00\+0[12]:00 \(Europe\/Berlin\)$/);
			expect(first).toMatch(/^booking \d+ is pending$/);
			expect([repeated, refused]).toEqual([first, 'refused: duplicate booking']);
			expect(listed).toBe(`listed: ${/\d+/.exec(first!)}`);
			expect(events.every((event) => event === 'event: booking.created')).toBe(true);
		}
	});

	withMypy(`When somebody mistypes, then mypy says so${missing.mypy ? ` (${missing.mypy})` : ''}`, async () => {
		const file = written(
			'typos.py',
			`from slotwise import Slotwise
slotwise = Slotwise("", "")
slotwise.create_booking(body={"date": "2027-01-04", "time_slot": 7})
slotwise.get_booking(booking=7)
slotwise.iter_booking()
slotwise.get_booking(7)["state"]
slotwise.update_service(7, body={"name": "x"})["impact"]
slotwise.update_service(7, body={"name": "x"}, dry_run=True)["impact"]["retired"]["total"]
slotwise.list_service_time_slots(7)[0]["id"]
slotwise.list_service_time_slots(7, page=1)["pagination"]["page"]
for booking in slotwise.iter_bookings(service_id=7):
    booking["customer"]["email"]
`,
		);
		const checked = run(PYTHON, ['-m', 'mypy', '--strict', '--python-executable', pythons[0]!, file], { env: env() });
		const errors = await checked.then(
			() => '',
			({ stdout }: { stdout: string }) => stdout,
		);
		const lines = [...errors.matchAll(/typos\.py:(\d+): error/g)].map(([, line]) => Number(line));
		expect([...new Set(lines)]).toEqual([3, 4, 5, 6, 7]);
	});

	test('When a list has several pages, then the iterator passes over all of them, in order', async () => {
		const http = newAccount();
		const place = await slotOn(http, { max_bookings: 100 });
		const ids: number[] = [];
		for (let number = 0; number < 7; number++) ids.push((await book(http, place)).id);
		const lines = await script(
			`bookings = slotwise.iter_bookings(service_id=int(sys.argv[1]), page_size=3)
print([booking['id'] for booking in bookings])
print([slot['id'] for slot in slotwise.iter_time_slots()])
print([slot['id'] for slot in slotwise.list_service_time_slots(int(sys.argv[1]))])
print([slot['id'] for slot in slotwise.iter_service_time_slots(int(sys.argv[1]), page_size=1)])
print(list(slotwise.iter_webhooks()))`,
			http,
			String(place.slot.service_id),
		);
		const slots = `[${place.slot.id}]`;
		expect(lines).toEqual([`[${ids.join(', ')}]`, slots, slots, slots, '[]']);
	});

	test('When something happens, then who follows the feed hears of it, and goes on where they stopped', async () => {
		const http = newAccount();
		const place = await slotOn(http);
		const following = script(
			`created = next(slotwise.events())
slotwise.update_booking(created['data']['id'], body={'status': 'cancelled', 'cancel_reason': 'ill'})
cancelled = next(slotwise.events(after=created['sequence']))
print(created['type'], cancelled['type'], cancelled['sequence'], list(slotwise.events(after=2, follow=False)))`,
			http,
		);
		await book(http, place);
		expect(await following).toEqual(['booking.created booking.cancelled 2 []']);
	});

	test('W7: When the feed ends before where somebody stopped, then who follows it is told so', async () => {
		const http = newAccount();
		await book(http, await slotOn(http));
		await eventsUpTo(http, 1);
		const lines = await script(
			`for events in [slotwise.events(after=2), slotwise.events(after=2, follow=False), slotwise.event_pages(after=2)]:
    try: next(events)
    except SlotwiseError as error: print(error.status, error.code, error)
print(next(slotwise.events(after=0))['sequence'])`,
			http,
		);
		const told = expect.stringMatching(/^410 events_expired .*read the bookings anew, then go on with after=0$/);
		expect(lines).toEqual([told, told, told, '1']);
	});

	test('When a booking is refused, then the error has code, faults and alternatives', async () => {
		const http = newAccount();
		const place = await slotOn(http, { day_of_week: 1, max_bookings: 1 });
		await book(http, place);
		const lines = await script(
			`def refused(body, **more):
    try: slotwise.create_booking(body=body, **more)
    except SlotwiseError as error: return error
body = {'date': sys.argv[1], 'time_slot_id': int(sys.argv[2])}
full = refused(body, alternatives=2)
print(full.status, full.code, full, [one['remaining'] for one in full.alternatives], len(full.request_id) > 0)
wrong = refused({**body, 'date': '2027-01-05'})
print(wrong.code, wrong.faults[0]['field'], wrong.faults[0]['code'])`,
			http,
			place.date,
			String(place.slot.id),
		);
		expect(lines).toEqual(['400 time_slot_full time slot is full [1, 1] True', 'invalid_request date wrong_weekday']);
	});

	test('When two change what both have read, then the second is told', async () => {
		const http = newAccount();
		const { id } = await book(http, await slotOn(http));
		const lines = await script(
			`booking = slotwise.get_booking(int(sys.argv[1]))
body = {'message': 'für eins', 'version': booking['version']}
print(slotwise.update_booking(booking['id'], body=body)['message'])
try: slotwise.update_booking(booking['id'], body=body)
except SlotwiseError as error: print(error.code)
print(slotwise.delete_booking(booking['id'], if_match='"2"'))`,
			http,
			String(id),
		);
		expect(lines).toEqual(['für eins', 'version_conflict', 'ok']);
	});

	test('When a webhook is called, then verify_webhook takes it, and refuses it under another secret', async () => {
		const http = newAccount();
		const receiver = await WebhookReceiver.start();
		try {
			const [made] = await script(
				`webhook = slotwise.create_webhook(body={'url': sys.argv[1]})
slotwise.test_webhook(webhook['id'])
print(webhook['secret'])`,
				http,
				receiver.url('/hook'),
			);
			await until(() => receiver.of('/hook').length > 0);
			const { body, headers } = receiver.of('/hook')[0]!;
			const lines = await script(
				`body, headers, secret = sys.argv[1:]
print(verify_webhook(body, json.loads(headers), secret)['type'])
try: verify_webhook(body, json.loads(headers), 'whsec_AAAA')
except WebhookVerificationError as error: print(error)`,
				http,
				String(body),
				JSON.stringify(headers),
				made!,
			);
			expect(lines).toEqual(['webhook.test', 'no signature is by this secret']);
		} finally {
			await receiver.stop();
		}
	});
});
