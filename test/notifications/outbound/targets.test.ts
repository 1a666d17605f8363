import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type LookUpName, TargetGuard } from '../../../services/notifications/webhooks/outbound/find-addresses.ts';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { type Canary, startCanary } from './canary.ts';
import { LOOPBACK_URLS, MALFORMED_URLS, PRIVATE_URLS } from './hostile-urls.ts';

const NOT_PUBLIC = 'leads to an address that is not public';
const PUBLIC = '93.184.216.34';

let canary: Canary;
beforeAll(async () => {
	canary = await startCanary();
});
afterAll(() => canary.close());

const at = (url: string) => url.replaceAll('PORT', String(canary.port));
const message = (url: string) => ({ url: at(url), headers: {}, body: '{}' });

/** What registration says and what an attempt says; `lookup` answers both. */
async function judge(url: string, lookup?: LookUpName) {
	const rules = { allowPrivate: false, lookup };
	const before = canary.connections();
	const registration = await new TargetGuard(rules).check(at(url));
	const attempt = await new WebhookSender(rules).send(message(url));
	return { registration, attempt: attempt.error, connections: canary.connections() - before };
}

const refused = (fault: string) => ({ registration: fault, attempt: `the URL ${fault}`, connections: 0 });

/** Names lead here unless they are known to be private. */
const unreachable: LookUpName = async () => ['127.0.0.1'];

describe('W5: where webhooks may go', () => {
	test.each(LOOPBACK_URLS)('When the URL is %s, then it is refused at registration and at connect', async (url) => {
		expect(await judge(url, unreachable)).toEqual(refused(NOT_PUBLIC));
	});

	test('When private addresses are allowed, then these spellings do reach the canary', async () => {
		const sender = new WebhookSender({ allowPrivate: true });
		const missed = [];
		for (const url of LOOPBACK_URLS.filter((one) => canary.hasIPv6 || !one.includes('['))) {
			const before = canary.connections();
			const { error } = await sender.send(message(url));
			if (canary.connections() === before) missed.push(`${url} ${error}`);
		}
		expect(missed).toEqual([]);
	});

	test.each(PRIVATE_URLS)('When the URL is %s, then it is refused at registration and at connect', async (url) => {
		expect(await judge(url, unreachable)).toEqual(refused(NOT_PUBLIC));
	});

	test.each(MALFORMED_URLS)('When the URL is %j, then it is refused: %s', async (url, fault) => {
		expect(await judge(url, unreachable)).toEqual(refused(fault));
	});

	test.each([
		[['127.0.0.1']],
		[['127.0.0.53']],
		[['10.1.2.3']],
		[['169.254.169.254']],
		[['100.64.1.1']],
		[['0.0.0.0']],
		[['::1']],
		[['::ffff:127.0.0.1']],
		[['::ffff:7f00:1']],
		[['64:ff9b::7f00:1']],
		[['64:ff9b::169.254.169.254']],
		[['fd00::1']],
		[['fe80::1%lo']],
		[['2606:2800:220:1::1%lo']],
		[['2002:7f00:1::1']],
		[['localhost']],
		[['']],
		[[PUBLIC, '127.0.0.1']],
		[['127.0.0.1', PUBLIC]],
		[[PUBLIC, '::1']],
		[[PUBLIC, PUBLIC, PUBLIC, PUBLIC, '192.168.0.1']],
		[['2606:2800:220:1::1', PUBLIC, '::ffff:10.0.0.1']],
	])('When a name leads to %j, then it is refused at registration and at connect', async (addresses) => {
		expect(await judge('https://hooks.example.com:PORT/', async () => addresses)).toEqual(refused(NOT_PUBLIC));
	});

	test('When a name is public at registration and private later, then the attempt is refused', async () => {
		const answers = [[PUBLIC], ['127.0.0.1']];
		expect(await judge('https://rebind.example.com:PORT/', async () => answers.shift()!)).toEqual({
			registration: undefined,
			attempt: `the URL ${NOT_PUBLIC}`,
			connections: 0,
		});
	});

	test('When private addresses were allowed at registration only, then the attempt is refused', async () => {
		expect(await new TargetGuard({ allowPrivate: true }).check(at('http://127.0.0.1:PORT/'))).toBeUndefined();
		expect(await judge('http://127.0.0.1:PORT/')).toMatchObject({ attempt: 'the URL must begin with https://' });
	});
});

describe('where webhooks may go', () => {
	test.each([
		'https://hooks.example.com/',
		'https://hooks.example.com:443/slotwise?account=7',
		'https://hooks.example.com:8443/',
		'https://hooks.example.com./',
		'https://bücher.example/',
		'https://my_host.example.com/',
		`https://${PUBLIC}/`,
		'https://[2606:2800:220:1:248:1893:25c8:1946]/',
		'https://[64:ff9b::808:808]/',
	])('When the URL is %s, then it may be registered', async (url) => {
		const lookup = async () => [PUBLIC, '2606:2800:220:1:248:1893:25c8:1946'];
		expect(await new TargetGuard({ allowPrivate: false, lookup }).check(url)).toBeUndefined();
	});

	test('When a name does not resolve yet, or cannot be looked up, then it may be registered', async () => {
		const absent = new TargetGuard({ allowPrivate: false, lookup: async () => [] });
		expect(await absent.check('https://soon.example.com/')).toBeUndefined();
		const broken = new TargetGuard({ allowPrivate: false, lookup: () => Promise.reject(new Error('SERVFAIL')) });
		expect(await broken.check('https://soon.example.com/')).toBeUndefined();
	});

	test('When private addresses are allowed, then http, bare names and any port may be registered, but no user', async () => {
		const guard = new TargetGuard({ allowPrivate: true, lookup: async () => ['10.0.0.7'] });
		expect(await guard.check('http://receiver:80/hooks')).toBeUndefined();
		expect(await guard.check('http://[::1]:8080/')).toBeUndefined();
		expect(await guard.check('http://user@receiver/')).toBe('must not have a user name or password');
		expect(await guard.check('ftp://receiver/')).toBe('must begin with http:// or https://');
	});
});
