import { expect, test } from '@jest/globals';
import type { Logger } from '../../shared/log/log.ts';
import { ExportComplaints } from '../../shared/tracing/export-traces.ts';

test('When spans are lost for long, then the log says so at most once a minute, and when it is over', () => {
	const lines: [string, object][] = [];
	const logger = {
		warn: (fields: object) => lines.push(['warn', fields]),
		info: (fields: object) => lines.push(['info', fields]),
	} as unknown as Logger;
	let now = 5_000;
	const complaints = new ExportComplaints(logger, { now: () => now, monotonic: () => now });
	complaints.settle();
	for (const end = now + 120_000; now <= end; now += 1_000) complaints.tell('connect ECONNREFUSED');
	const told = lines.map(([level]) => level);
	expect(told).toEqual(['warn', 'warn', 'warn']);
	expect(lines[1]).toEqual(['warn', { reason: 'connect ECONNREFUSED', failures: 61 }]);
	complaints.settle();
	complaints.settle();
	expect(lines.slice(3)).toEqual([['info', { failures: 121 }]]);
	complaints.tell('again'); // a minute after the last line only
	expect(lines).toHaveLength(4);
});
