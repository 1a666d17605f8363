import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../shared/config/config.ts';
import { variables } from '../../shared/config/variables.ts';
import { ROOT } from '../k8s/manifests.ts';
import { isInstalled } from '../support/servers.ts';

const DRAIN = 15; // s that a process takes at most (contract §10)
const text = readFileSync(join(ROOT, 'systemd/slotwise.service'), 'utf8');
const settings = new Map([...text.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

describe('systemd/slotwise.service', () => {
	test('Its variables are those that Slotwise reads, the store is in its state directory, and no key goes to the journal', () => {
		const given = settings
			.get('Environment')!
			.split(' ')
			.map((one) => one.split('=') as [string, string]);
		const own = given.filter(([name]) => name !== 'NODE_ENV');
		expect(own.filter(([name]) => !(name in variables))).toEqual([]);
		const config = readConfig(Object.fromEntries(own));
		expect(config).toMatchObject({
			form: 'embedded',
			dataDir: `/var/lib/${settings.get('StateDirectory')}`,
			demo: false,
		});
		expect(settings.get('WorkingDirectory')).toBe(`/var/lib/${settings.get('StateDirectory')}`);
	});

	test('It is given the time to drain, and is not started again where that cannot help', () => {
		expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(DRAIN);
		expect(settings.get('Restart')).toBe('on-failure');
		expect(settings.get('RestartPreventExitStatus')).toBe('78');
	});

	(isInstalled('systemd-analyze') ? test : test.skip)(
		'systemd takes every line of it, and thinks it well shut in',
		() => {
			const directory = mkdtempSync(join(tmpdir(), 'slotwise-systemd-'));
			const file = join(directory, 'slotwise.service');
			try {
				// The node of this machine, and a user that there is: both are looked for.
				writeFileSync(
					file,
					text.replace('/usr/bin/node', process.execPath).replace(/^(User|Group)=slotwise$/gm, '$1=daemon'),
				);
				const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
				expect([verified.stderr.split('\n').filter((line) => line.includes('slotwise')), verified.status]).toEqual([
					[],
					0,
				]);
				const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', file], {
					encoding: 'utf8',
				});
				expect([judged.stderr, judged.status]).toEqual(['', 0]); // an exposure of 2.5 of 10 at most
			} finally {
				rmSync(directory, { recursive: true });
			}
		},
	);
});
