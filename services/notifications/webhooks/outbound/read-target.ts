import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

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
