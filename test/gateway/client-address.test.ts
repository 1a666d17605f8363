import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClientAddress, networkOf } from '../../services/gateway/authentication/client-address.ts';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
	({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8::7'];
const behind = new ClientAddress(PROXIES);
const direct = new ClientAddress([]);

describe('the client’s address', () => {
	test.each([
		['nobody is trusted', direct, '10.0.0.1', '203.0.113.9', '10.0.0.1'],
		['the peer is no trusted proxy', behind, '203.0.113.1', '203.0.113.9', '203.0.113.1'],
		['a trusted proxy sent no header', behind, '10.0.0.1', undefined, '10.0.0.1'],
		['a trusted proxy forwards', behind, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
		['the client wrote addresses itself', behind, '10.0.0.1', '198.51.100.1, 1.1.1.1,203.0.113.9', '203.0.113.9'],
		['several trusted proxies forward', behind, '192.0.2.7', '198.51.100.1, 203.0.113.9, 10.2.3.4', '203.0.113.9'],
		['all of them are trusted', behind, '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
		['the header is empty', behind, '10.0.0.1', '', '10.0.0.1'],
		['an entry is no address', behind, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
		['an entry in the middle is no address', behind, '10.0.0.1', '203.0.113.9, _hidden, 10.0.0.2', '10.0.0.2'],
		['an entry has a port', behind, '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
		['an entry is IPv6 in brackets', behind, '10.0.0.1', '[2001:db8:1::9]:4711', '2001:db8:1:0:0:0:0:9'],
		['the peer comes as IPv6', behind, '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
		['the client comes as IPv6', direct, '::ffff:203.0.113.9', undefined, '203.0.113.9'],
		['the proxy has IPv6', behind, 'fd12::1', '2001:DB8:0:0::7, 2001:db8:1::9', '2001:db8:1:0:0:0:0:9'],
		['the proxy has a zone', new ClientAddress(['fe80::/10']), 'fe80::1%eth0', '203.0.113.9', '203.0.113.9'],
		['the connection is gone', behind, undefined, '203.0.113.9', ''],
	])('When %s, then the rightmost address that is not trusted wins', (_, addresses, peer, header, expected) => {
		expect(addresses.of(request(peer, header))).toBe(expected);
	});

	test('R6: When a client writes whatever it likes, then what a trusted proxy adds decides', () => {
		fc.assert(
			fc.property(fc.string(), fc.ipV4(), (written, address) => {
				const isProxy = address.startsWith('10.') || address === '192.0.2.7';
				fc.pre(!isProxy);
				expect(behind.of(request('10.0.0.1', `${written}, ${address}`))).toBe(address);
			}),
		);
	});
});

test('When addresses share 64 bits of IPv6, then they are one network, and IPv4 addresses are one each', () => {
	const own = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::', '2001:0db8:0000:0001:1:2:3:4', '2001:db8:0:1:1:2:192.0.2.1'];
	expect(new Set(own.map(networkOf))).toEqual(new Set(['2001:db8:0:1::/64']));
	expect(networkOf('2001:db8:0:2::1')).toBe('2001:db8:0:2::/64');
	expect(networkOf('::1')).toBe('0:0:0:0::/64');
	expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
});
