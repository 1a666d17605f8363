import { BlockList, isIP } from 'node:net';
import { isWellFormedApiKey } from '../secrets/api-key.ts';

/** Turns the text of a variable into its value, or throws what is wrong with it, to be read after the variable's name. */
export type Parser<T> = (text: string) => T;

export class Malformed extends Error {}

export const text: Parser<string> = (value) => value;

export function integer(minimum: number, maximum: number): Parser<number> {
	return (value) => {
		const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
		if (number >= minimum && number <= maximum) return number;
		throw new Malformed(`must be an integer from ${minimum} to ${maximum}, not "${value}"`);
	};
}

export const ratio: Parser<number> = (value) => {
	const number = /^\d(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
	if (number >= 0 && number <= 1) return number;
	throw new Malformed(`must be a number from 0 to 1, not "${value}"`);
};

export function oneOf<T extends string>(...choices: T[]): Parser<T> {
	return (value) => {
		const choice = choices.find((candidate) => candidate === value);
		if (choice !== undefined) return choice;
		throw new Malformed(`must be one of ${choices.join(', ')}, not "${value}"`);
	};
}

export const flag: Parser<boolean> = (value) => oneOf('0', '1')(value) === '1';

export function orOff(parser: Parser<number>): Parser<number | 'off'> {
	return (value) => (value === 'off' ? 'off' : parser(value));
}

export function matching(pattern: RegExp, what: string): Parser<string> {
	return (value) => {
		if (pattern.test(value)) return value;
		throw new Malformed(`must be ${what}, not "${value}"`);
	};
}

/** The value is never printed: it may carry a password. */
export function url(...protocols: string[]): Parser<string> {
	return (value) => {
		const protocol = URL.canParse(value) ? new URL(value).protocol : value.slice(0, value.indexOf(':') + 1);
		if (protocols.includes(protocol) && value.includes('://')) return value;
		throw new Malformed(`must be a URL that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`);
	};
}

export function list<T>(parser: Parser<T>): Parser<T[]> {
	return (value) => {
		const items = value.split(',').map((item) => item.trim());
		return items.filter((item) => item !== '').map(parser);
	};
}

export const origin: Parser<string> = (value) => {
	if (URL.canParse(value) && new URL(value).origin === value) return value;
	throw new Malformed(`must be exact origins such as https://app.example.com, not "${value}"`);
};

/** An address or a CIDR block. */
export const addressBlock: Parser<string> = (value) => {
	const [address = '', prefix, ...rest] = value.split('/');
	const family = isIP(address);
	const bits = prefix === undefined ? 0 : integer(0, family === 6 ? 128 : 32)(prefix);
	if (family !== 0 && rest.length === 0) {
		new BlockList().addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
		return value;
	}
	throw new Malformed(`must be addresses or CIDR blocks, not "${value}"`);
};

export interface BootstrapKey {
	key: string;
	package: string;
}

/** `<key>:<Package>`. The key is never printed. */
export const bootstrapKey: Parser<BootstrapKey> = (value) => {
	const [key = '', packageName = '', ...rest] = value.split(':');
	if (!isWellFormedApiKey(key)) throw new Malformed('has a key whose form or checksum is wrong');
	if (rest.length > 0 || !/^[A-Za-z][A-Za-z0-9 _-]{0,39}$/.test(packageName)) {
		throw new Malformed('must be <key>:<Package>, separated by commas');
	}
	return { key, package: packageName };
};

/** 32 bytes in base64. The value is never printed. */
/** The first one seals, both open: so a key is replaced while its secrets are in use. */
export const secretKeys: Parser<string[]> = (value) => {
	const keys = list(secretKey)(value);
	if (keys.length === 1 || (keys.length === 2 && keys[0] !== keys[1])) return keys;
	throw new Malformed('must be one key, or two different ones separated by a comma');
};

export const secretKey: Parser<string> = (value) => {
	if (/^[A-Za-z0-9+/]{43}=$/.test(value)) return value;
	throw new Malformed('must be 32 bytes in base64, such as `openssl rand -base64 32` prints');
};
