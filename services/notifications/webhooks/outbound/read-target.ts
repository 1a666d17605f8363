import { BlockList, isIP } from 'node:net';

/** Where a webhook goes. */
export interface Target {
	url: URL;
	/** A name without a final dot, or an address without brackets */
	host: string;
	isAddress: boolean;
}

export const MAX_URL_LENGTH = 2_048;
/** To be read after "the URL" or `url:`. Nothing of what the name led to is told. */
export const NOT_PUBLIC = 'leads to an address that is not public';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Names that are never public (RFC 6761, 6762, 8375; ICANN for .internal) */
const PRIVATE_SUFFIXES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'onion'];

/**
 * Everything about a URL that can be told without asking a name server. What is judged is what will be used: the parsed
 * URL, where `0x7f.1`, `2130706433` and full-width digits have become `127.0.0.1`.
 *
 * @returns the target, or what is wrong, to be read after "the URL" or `url:`
 */
export function readTarget(text: string, allowPrivate: boolean): Target | string {
	if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
	// The parser drops or turns these silently, so two readers could see two hosts
	if (/[\s\p{Cc}\\]/u.test(text)) return 'must not have white space, control characters or backslashes';
	if (!URL.canParse(text)) return 'must be a complete URL such as https://example.com/hooks';
	const url = new URL(text);
	const schemes = allowPrivate ? ['http:', 'https:'] : ['https:'];
	if (!schemes.includes(url.protocol)) return `must begin with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
	if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
	if (text.includes('#')) return 'must not have a fragment';
	const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
	const isAddress = isIP(host) !== 0;
	if (!isAddress && !isHostName(host)) return 'must have a valid host name';
	if (!allowPrivate && !(isAddress ? isPublicAddress(host) : mayBePublicName(host))) return NOT_PUBLIC;
	if (!allowPrivate && !isAllowedPort(url.port)) return 'must have port 443 or one from 1024 to 65535';
	if (url.port === '0') return 'must have a port from 1 to 65535';
	return { url, host, isAddress };
}

function isHostName(host: string): boolean {
	return host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
}

function mayBePublicName(name: string): boolean {
	return name.includes('.') && !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

/** The other ports below 1024 belong to other protocols, which a customer must not make us talk to. */
function isAllowedPort(port: string): boolean {
	return port === '' || port === '443' || Number(port) >= 1_024;
}

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
