import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, variables } from '../../shared/config/variables.ts';
import { type Manifest, ROOT, readYaml } from './manifests.ts';

const DRAIN = 15; // s that a process takes at most (contract §10)
const [file] = readYaml('docker-compose.yml');
const services = file!.services as Record<string, Manifest>;
const ours = SERVICE_NAMES.map((name) => [name, services[name]!] as const);

describe('docker-compose.yml', () => {
	test.each(ours)('%s: is a container of its own, which is ready only when its /readyz says so', (name, service) => {
		expect(service.environment.SERVICES).toBe(name);
		expect(service.image).toMatch(/^slotwise:/);
		expect(service.healthcheck.test).toEqual(['CMD', 'node', '/app/shared/process/healthcheck.ts', '/readyz']);
		expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(DRAIN);
		expect(service.depends_on).toMatchObject({
			secrets: { condition: 'service_completed_successfully' },
			nats: { condition: 'service_healthy' },
			redis: { condition: 'service_healthy' },
			'mongo-init': { condition: 'service_completed_successfully' },
		});
	});

	test('Every variable of a service is one that Slotwise reads', () => {
		const names = ours.flatMap(([, { environment }]) => Object.keys(environment));
		expect(names.filter((name) => !(name in variables))).toEqual([]);
	});

	test('Every container has a read-only root, no capability and no way to get one', () => {
		for (const [name, service] of Object.entries(services)) {
			const { read_only, cap_drop, security_opt, privileged } = service;
			expect({ name, read_only, cap_drop, security_opt, privileged }).toEqual({
				name,
				read_only: true,
				cap_drop: ['ALL'],
				security_opt: ['no-new-privileges:true'],
				privileged: undefined,
			});
		}
	});

	test('No log grows without end, and no process of Slotwise takes more memory than on Kubernetes', () => {
		for (const [name, { logging }] of Object.entries(services)) {
			expect([name, logging]).toEqual([name, { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } }]);
		}
		expect(ours.map(([, { mem_limit }]) => mem_limit)).toEqual(SERVICE_NAMES.map(() => '512m'));
	});

	test('The gateway’s port is the only one to be reached from outside, and from this machine only unless one asks', () => {
		const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
		expect(published.map(([name]) => name)).toEqual(['gateway']);
		expect(services.gateway!.ports[0].replace(/\$\{\w+:-([^}]*)\}/g, '$1')).toBe('127.0.0.1:3000:3000');
		expect(file!.networks.backend).toEqual({ internal: true });
		const outside = Object.entries(services).filter(([, { networks }]) => networks?.includes('public'));
		expect(outside.map(([name]) => name)).toEqual(['gateway', 'notifications']);
	});

	test('Each reader of secrets sees its own only', () => {
		const readers = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
			(volumes as string[]).filter((one) => /-secrets:/.test(one)).map((one) => [name, ...one.split(':')] as const),
		);
		const reading = readers.filter(([, , , mode]) => mode === 'ro').map(([name, volume]) => [name, volume]);
		expect(reading.sort()).toEqual(
			[
				...SERVICE_NAMES.map((name) => [name, 'slotwise-secrets']),
				['nats', 'nats-secrets'],
				['redis', 'redis-secrets'],
				['mongo', 'mongo-secrets'],
				['mongo-init', 'mongo-secrets'],
			].sort(),
		);
		expect(new Set(readers.filter(([, , , mode]) => mode !== 'ro').map(([name]) => name))).toEqual(
			new Set(['secrets']),
		);
	});

	test('Whatever it names is there, and it holds no secret', () => {
		for (const { file: path } of Object.values(file!.configs as Record<string, Manifest>)) {
			expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
		}
		const volumes = Object.values(services).flatMap((one) => (one.volumes ?? []).map((v: string) => v.split(':')[0]));
		expect([...new Set(volumes)].sort()).toEqual(Object.keys(file!.volumes).sort());
		const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
		expect(text).not.toMatch(/(mongodb|nats|redis):\/\/|slw_|[A-Za-z0-9+/]{43}=/);
	});
});
