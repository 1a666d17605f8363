import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * The address that a request comes from. `X-Forwarded-For` counts only where a trusted proxy sent it: read from the
 * right, the first address that is no trusted proxy is the client's. What stands left of it anybody may have written.
 */
export class ClientAddress {
	readonly #trusted = new BlockList();

	/** @param trustProxy addresses and CIDR blocks (`TRUST_PROXY`) */
	constructor(trustProxy: readonly string[]) {
		for (const block of trustProxy) {
			const [address, prefix] = block.split('/') as [string, string?];
			if (prefix === undefined) this.#trusted.addAddress(address, familyOf(address));
			else this.#trusted.addSubnet(address, Number(prefix), familyOf(address));
		}
	}

	/** An IPv4 or IPv6 address; '' where the connection is gone already. */
	of(request: IncomingMessage): string {
		let address = plainAddress(request.socket.remoteAddress ?? '') ?? '';
		const forwarded = request.headers['x-forwarded-for'];
		if (forwarded === undefined) return address;
		const hops = [forwarded].flat().join(',').split(',');
		while (address !== '' && this.#isTrusted(address)) {
			const next = plainAddress(hops.pop()?.trim() ?? '');
			if (next === undefined) break; // no proxy wrote that, so nobody knows more
			address = next;
		}
		return address;
	}

	#isTrusted(address: string): boolean {
		return this.#trusted.check(address, familyOf(address));
	}
}

/** What one customer of a network provider has: an IPv4 address, or 64 bits of IPv6, as `2001:db8:0:1::/64`. */
export function networkOf(address: string): string {
	if (isIP(address) !== 6) return address;
	return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
	return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/**
 * Without port, brackets and zone; an IPv4 address that comes as IPv6 (`::ffff:192.0.2.1`), as sockets that listen on
 * both show it, is that IPv4 address. Undefined where it is no address.
 */
function plainAddress(text: string): string | undefined {
	const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
	const [address] = bare.split('%') as [string];
	const family = isIP(address);
	if (family === 0) return undefined;
	if (family === 4) return address;
	const groups = groupsOf(address);
	if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return groups.join(':');
	return groups
		.slice(6)
		.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
		.join('.');
}

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): string[] {
	const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
	const [head, tail] = [left, right ?? ''].map((half) => (half === '' ? [] : half.split(':'))) as [string[], string[]];
	return right === undefined ? head : [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
