import { BlockList, isIP } from 'node:net';

/** Of the IANA special-purpose registries, and others that lead to no stranger's server. */
const REFUSED_IPV4 = [
	'0.0.0.0/8', // this network
	'10.0.0.0/8', // private
	'100.64.0.0/10', // carrier-grade NAT; a cloud's metadata at 100.100.100.200
	'127.0.0.0/8', // loopback
	'168.63.129.16/32', // Azure's platform, reachable from every machine there
	'169.254.0.0/16', // link-local; a cloud's metadata at 169.254.169.254
	'172.16.0.0/12', // private
	'192.0.0.0/24', // protocol assignments; a cloud's metadata at 192.0.0.192
	'192.0.2.0/24', // documentation
	'192.31.196.0/24', // AS112
	'192.52.193.0/24', // multicast tunnels
	'192.88.99.0/24', // 6to4 relays
	'192.168.0.0/16', // private
	'192.175.48.0/24', // AS112
	'198.18.0.0/15', // benchmarking
	'198.51.100.0/24', // documentation
	'203.0.113.0/24', // documentation
	'224.0.0.0/4', // multicast
	'240.0.0.0/4', // reserved, broadcast
];
/** Only 2000::/3 is given out: loopback, mapped, unique local, link- and site-local, multicast, discard … lie outside. */
const GLOBAL_IPV6 = ['2000::/3'];
const REFUSED_IPV6 = [
	'2001::/23', // protocol assignments: Teredo, ORCHID, benchmarking
	'2001:db8::/32', // documentation
	'2002::/16', // 6to4: an IPv4 address of any kind inside
	'2620:4f:8000::/48', // AS112
	'3fff::/20', // documentation
];
/** NAT64's well-known prefix: the last 32 bits are the IPv4 address that it leads to (RFC 6052) */
const NAT64 = ['64:ff9b::/96'];

const refused4 = blocks('ipv4', REFUSED_IPV4);
const global6 = blocks('ipv6', GLOBAL_IPV6);
const refused6 = blocks('ipv6', REFUSED_IPV6);
const nat64 = blocks('ipv6', NAT64);

/**
 * Whether a literal address is one that a stranger's server on the Internet can have.
 * @param address as a resolver or `URL` writes it, without brackets; whatever is no address is not public
 */
export function isPublicAddress(address: string): boolean {
	const family = isIP(address);
	if (family === 4) return !refused4.check(address, 'ipv4');
	if (family === 0 || address.includes('%')) return false; // a zone is for link-local addresses only
	if (nat64.check(address, 'ipv6')) return isPublicAddress(lastFourBytes(address));
	return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

/** `URL` writes IPv6 in one way: compressed, lower case, without a dotted part. */
function lastFourBytes(address: string): string {
	const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
	const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
	return [high! >> 8, high! & 0xff, low! >> 8, low! & 0xff].join('.');
}

function blocks(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
	const list = new BlockList();
	for (const range of ranges) {
		const [address, prefix] = range.split('/');
		list.addSubnet(address!, Number(prefix), family);
	}
	return list;
}
