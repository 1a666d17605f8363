import { randomBytes } from 'node:crypto';
import { createGzip, type Gzip, gunzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import { compress } from '../../services/gateway/pipeline/compress.ts';
import { acceptsGzip } from '../../services/gateway/pipeline/content-coding.ts';
import { ApiError } from '../../shared/contract/errors.ts';

const KIB = 1024;
/** More than a thread is given at a time */
const LONG = 400 * KIB;

const noise = (size: number) => randomBytes(size).toString('base64').slice(0, size);

describe('P3: whether a client takes gzip (RFC 9110 §12.5.3)', () => {
	test.each([
		...['gzip', 'GZIP', 'x-gzip', ' gzip ', 'deflate, gzip', 'gzip, deflate, br, zstd', 'br,gzip', 'gzip;q=1'],
		...['gzip;q=1.0', 'gzip;q=1.000', 'gzip;q=0.001', 'gzip ; q=0.5', 'gzip;Q=0.5', 'br;q=1.0, gzip;q=0.8'],
		...['*', '*;q=0.1', 'identity;q=0, *', 'identity;q=0.5, gzip', 'identity;q=0.5, *;q=0.8', 'identity, gzip'],
		...['gzip, *;q=0', ',,gzip,,', 'br;q=x, gzip'],
	])('%s: yes', (header) => {
		expect(acceptsGzip(header)).toBe(true);
	});

	test.each([
		...[undefined, '', ' ', ',', 'identity', 'br', 'deflate, br', 'gzip;q=0', 'gzip;q=0.0', 'gzip;q=0.000', '*;q=0'],
		...['gzip;q=0, *', 'gzip;q=0;', 'gzip;q=0.5, identity', 'gzip;q=0.2, *;q=0.5', 'identity;q=0.9, gzip;q=0.8'],
		...['gzipped', 'xgzip', 'gzip2', 'g zip', '"gzip"', 'gzip;q', 'gzip;q=', 'gzip;q=2', 'gzip;q=-1', 'gzip;q=0x1'],
		...['gzip;q=1.1', 'gzip;q=1e0', 'gzip;level=1', 'gzip;q=0.5;q=0.5', 'q=1', ';q=1', '__proto__', 'constructor'],
	])('%s: no', (header) => {
		expect(acceptsGzip(header)).toBe(false);
	});
});

describe('P3: how an answer is compressed', () => {
	test.each([1, KIB, 16 * KIB, 16 * KIB + 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, LONG])(
		'When it has %i bytes, then what comes out is what went in, in memory of its own',
		async (size) => {
			for (const text of ['ä'.repeat(size / 2) + 'x'.repeat(size % 2), noise(size)]) {
				for (const body of [text, Buffer.from(text)]) {
					const bytes = await compress(body);
					expect(gunzipSync(bytes).toString()).toBe(text);
					expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
				}
			}
		},
	);

	test('When it is short, then no thread is asked, and when it is long, then the event loop goes on', async () => {
		expect(compress('x'.repeat(16 * KIB))).toBeInstanceOf(Buffer);
		let rounds = 0;
		let isOver = false;
		const round = () => {
			rounds++;
			if (!isOver) setImmediate(round);
		};
		setImmediate(round);
		await compress(noise(LONG));
		isOver = true;
		expect(rounds).toBeGreaterThan(LONG / (64 * KIB));
	});

	test('N3: When nobody waits any more, then it stops before the next piece', async () => {
		let asked = 0;
		const reading = {
			becomesLong() {},
			assertWanted() {
				if (++asked === 3) throw new ApiError('gateway_timeout');
			},
		};
		await expect(compress(noise(LONG), 'a', reading)).rejects.toThrow('gateway timeout');
		expect(asked).toBe(3);
		expect(gunzipSync(await compress('x'.repeat(LONG), 'a')).length).toBe(LONG); // others have their turns after it
	});

	test('When the thread fails, then that answer fails, and others have their turns', async () => {
		const { prototype } = createGzip().constructor as { prototype: Gzip };
		const transform = jest.spyOn(prototype, '_transform').mockImplementationOnce(function fail(this: Gzip) {
			this.destroy(new Error('no memory')); // as zlib does, which then calls nobody back
		});
		await expect(compress(noise(LONG), 'a')).rejects.toThrow('no memory');
		transform.mockRestore();
		expect(gunzipSync(await compress('x'.repeat(LONG), 'b')).length).toBe(LONG);
	});

	test('X7: When one account has many long answers, then another one waits for a piece, not for an answer', async () => {
		const done: string[] = [];
		const ask = async (account: string, size: number) => {
			await compress(noise(size), account);
			done.push(account);
		};
		const many = Array.from({ length: 5 }, () => ask('many', LONG));
		await Promise.all([...many, ask('few', 20 * KIB), ask('other', 100 * KIB)]);
		expect(done).toEqual(['few', 'other', ...Array.from({ length: 5 }, () => 'many')]);
	});

	test('X6: When an account has many, then they are compressed one after the other, in order of arrival', async () => {
		const done: number[] = [];
		const ask = (size: number) => (compress(noise(size), 'a') as Promise<Buffer>).then(() => done.push(size));
		await Promise.all([ask(LONG), ask(300 * KIB), ask(200 * KIB), ask(20 * KIB)]);
		expect(done).toEqual([LONG, 300 * KIB, 200 * KIB, 20 * KIB]);
	});
});
