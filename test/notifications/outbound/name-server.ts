import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

export interface NameServer {
	/** With its port, as `Resolver.setServers` takes it */
	address: string;
	/** Questions so far */
	questions(): number;
	close(): void;
}

/** What a name has; `silent`: no answer ever comes. */
export type Zone = Record<string, string[] | { alias: string } | 'silent'>;

const TYPES = { A: 1, CNAME: 5, AAAA: 28 };

/** A name server on 127.0.0.1, for UDP and one question a packet; it follows its own aliases, as a resolver's server does. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
	const socket = createSocket('udp4');
	let questions = 0;
	socket.on('message', (query, from) => {
		questions++;
		const { name, type, end } = readQuestion(query);
		if (zone[name] === 'silent') return;
		const records = recordsOf(zone, name, type);
		const header = Buffer.alloc(12);
		query.copy(header, 0, 0, 2);
		header.writeUInt16BE(zone[name] === undefined ? 0x8183 : 0x8180, 2); // NXDOMAIN or NOERROR
		header.writeUInt16BE(1, 4);
		header.writeUInt16BE(records.length, 6);
		socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address);
	});
	socket.bind(0, '127.0.0.1');
	await once(socket, 'listening');
	return {
		address: `127.0.0.1:${socket.address().port}`,
		questions: () => questions,
		close: () => socket.close(),
	};
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
	const labels = [];
	let at = 12;
	for (let length = query[at]!; length > 0; length = query[at]!) {
		labels.push(query.toString('latin1', at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(zone: Zone, name: string, type: number): Buffer[] {
	const entry = zone[name];
	if (entry === undefined || entry === 'silent') return [];
	if (!Array.isArray(entry)) {
		return [record(name, TYPES.CNAME, encodeName(entry.alias)), ...recordsOf(zone, entry.alias, type)];
	}
	const ofType = entry.filter((address) => isIPv6(address) === (type === TYPES.AAAA));
	return ofType.map((address) => record(name, type, encodeAddress(address)));
}

function record(name: string, type: number, data: Buffer): Buffer {
	const fixed = Buffer.alloc(10); // type, class IN, a lifetime of 0 s, length
	fixed.writeUInt16BE(type, 0);
	fixed.writeUInt16BE(1, 2);
	fixed.writeUInt16BE(data.length, 8);
	return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeName(name: string): Buffer {
	const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
	return Buffer.concat([...labels, Buffer.alloc(1)]);
}

/** IPv6 in full, with eight groups. */
function encodeAddress(address: string): Buffer {
	if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
	return Buffer.from(
		address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
	);
}
