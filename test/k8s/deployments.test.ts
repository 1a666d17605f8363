import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commands } from '../../ops/commands.ts';
import { parseCommand } from '../../ops/line/parse-command.ts';
import { SERVICE_NAMES, type VariableName, variables } from '../../shared/config/variables.ts';
import {
	configOf,
	container,
	type Manifest,
	ofKind,
	podLabels,
	ROOT,
	readYaml,
	resourcesOf,
	selects,
} from './manifests.ts';

const DRAIN = 15; // s that a process takes at most (contract §10)
const BASE = 'k8s/base';

const base = resourcesOf(BASE);
const deployments = ofKind(base, 'Deployment');
const config = configOf(BASE);
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const serviceOf = (deployment: Manifest) =>
	container(deployment).env.find(({ name }: Manifest) => name === 'SERVICES')?.value;

describe('k8s/base', () => {
	test('Every service has a Deployment of its own, with an autoscaler and a disruption budget that are its', () => {
		expect(deployments.map(serviceOf).sort()).toEqual([...SERVICE_NAMES].sort());
		for (const deployment of deployments) {
			const name = serviceOf(deployment);
			expect(deployment.metadata.name).toBe(name);
			const selecting = (kind: string) =>
				ofKind(base, kind).filter(({ spec }) => selects(spec.selector, podLabels(deployment)));
			expect([name, selecting('PodDisruptionBudget').length]).toEqual([name, 1]);
			const scalers = ofKind(base, 'HorizontalPodAutoscaler').filter(({ spec }) => spec.scaleTargetRef.name === name);
			expect(scalers.map(({ spec }) => spec.minReplicas >= 2 && deployment.spec.replicas === undefined)).toEqual([
				true,
			]);
		}
	});

	test('A Deployment selects its own pods and no other service’s', () => {
		for (const one of deployments) {
			const selected = deployments.filter((other) => selects(one.spec.selector, podLabels(other)));
			expect(selected.map(serviceOf)).toEqual([serviceOf(one)]);
		}
		const [service] = ofKind(base, 'Service');
		const served = deployments.filter((one) => selects({ matchLabels: service!.spec.selector }, podLabels(one)));
		expect(served.map(serviceOf)).toEqual(['gateway']);
	});

	test('Every variable is one that Slotwise reads, and its value is one that it takes', () => {
		const given = { ...config, ...configOf('k8s/overlays/example') };
		const named = deployments.flatMap((one) => container(one).env as Manifest[]);
		for (const { name, value } of named) if (value !== undefined) given[name] = value;
		const unknown = [...Object.keys(given), ...named.map(({ name }) => name)].filter((name) => !(name in variables));
		expect(unknown).toEqual([]);
		for (const [name, value] of Object.entries(given)) {
			expect(() => variables[name as VariableName].parse(value)).not.toThrow();
		}
	});

	test('Secrets come from the Secret and are in no ConfigMap and no manifest', () => {
		const secret = ['NATS_URL', 'REDIS_URL', 'MONGO_URL', 'SECRET_KEY'];
		for (const deployment of deployments) {
			const { env } = container(deployment);
			const fromSecret = (env as Manifest[]).filter(({ valueFrom }) => valueFrom?.secretKeyRef);
			expect(fromSecret.map(({ name }) => name)).toEqual(expect.arrayContaining(secret));
			expect(fromSecret.filter(({ name, valueFrom }) => valueFrom.secretKeyRef.key !== name)).toEqual([]);
		}
		expect(Object.keys(config).filter((name) => [...secret, 'BOOTSTRAP_KEYS'].includes(name))).toEqual([]);
		expect(
			ofKind([...base, ...resourcesOf('k8s/overlays/example'), ...resourcesOf('k8s/overlays/try')], 'Secret'),
		).toEqual([]);
	});

	test.each(deployments.map((one) => [serviceOf(one), one] as const))(
		'%s: probes ask the admin port for the right paths, with time enough to start',
		(_, deployment) => {
			const { ports, startupProbe, livenessProbe, readinessProbe } = container(deployment);
			const admin = ports.find(({ name }: Manifest) => name === 'admin');
			expect(String(admin.containerPort)).toBe(config.ADMIN_PORT);
			expect(startupProbe.httpGet).toEqual({ path: '/healthz', port: 'admin' });
			expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'admin' });
			expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
			expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThan(60); // it waits for its database
			expect(readinessProbe.timeoutSeconds).toBeGreaterThanOrEqual(1); // a report takes half a second
			const http = ports.find(({ name }: Manifest) => name === 'http');
			expect(http?.containerPort.toString()).toBe(serviceOf(deployment) === 'gateway' ? config.PORT : undefined);
		},
	);

	test.each(deployments.map((one) => [serviceOf(one), one] as const))(
		'%s: a rollout takes no process away before another is ready, and none is killed while it drains',
		(name, { spec }) => {
			expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
			const { lifecycle } = spec.template.spec.containers[0];
			const preStop = lifecycle?.preStop.sleep.seconds ?? 0;
			expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(preStop + DRAIN);
			if (name === 'gateway') expect(preStop).toBeGreaterThanOrEqual(5); // proxies hear of its end meanwhile
		},
	);

	test('The image has a version, which is the product’s, in the manifests as in docker-compose.yml and the Dockerfile', () => {
		const [kustomization] = readYaml(`${BASE}/kustomization.yaml`);
		expect(kustomization!.images).toEqual([{ name: 'slotwise', newTag: version }]);
		expect(new Set(deployments.map((one) => container(one).image))).toEqual(new Set(['slotwise']));
		expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toContain(`ARG VERSION=${version}\n`);
		const { services } = readYaml('docker-compose.yml')[0]!;
		const images = Object.values(services as Manifest).map(({ image }) => image as string);
		const others = resourcesOf('k8s/overlays/try').filter(({ spec }) => spec?.template);
		images.push(...others.map((one) => container(one).image));
		for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?(-alpine)?$/);
		expect(images.filter((image) => image.startsWith('slotwise:') && image !== `slotwise:${version}`)).toEqual([]);
	});
});

describe('the daily audit', () => {
	const [job] = ofKind(base, 'CronJob');
	const audit: Manifest = { metadata: job!.metadata, spec: job!.spec.jobTemplate.spec };

	test('It is the operators’ command, with what a process has to reach the servers, and its failure is not made up for', () => {
		const { command, image, env, envFrom } = container(audit);
		expect([command[0], image]).toEqual(['node', 'slotwise']);
		expect(command[1]).toBe('/app/ops/main.ts');
		expect(parseCommand(commands, command.slice(2))).toMatchObject({ command: { name: 'audit' } });
		const [process] = deployments.map(container);
		const secrets = (list: Manifest[]) =>
			list.filter(({ valueFrom }) => valueFrom).filter(({ name }) => name !== 'BOOTSTRAP_KEYS');
		expect(secrets(env)).toEqual(expect.arrayContaining(secrets(process!.env)));
		expect(envFrom).toEqual(process!.envFrom);
		expect([audit.spec.template.spec.restartPolicy, audit.spec.backoffLimit]).toEqual(['Never', 1]);
		expect(job!.spec.concurrencyPolicy).toBe('Forbid');
	});

	test('The network lets it out to the servers, and no Service, budget or Deployment takes its pod for its own', () => {
		const labels = podLabels(audit);
		const policies = ofKind(base, 'NetworkPolicy').filter(({ spec }) => selects(spec.podSelector, labels));
		expect(policies.map(({ metadata }) => metadata.name)).toEqual(['deny-all', 'servers', 'metrics']);
		const others = [...ofKind(base, 'Deployment'), ...ofKind(base, 'PodDisruptionBudget')];
		expect(others.filter(({ spec }) => selects(spec.selector, labels))).toEqual([]);
		const [service] = ofKind(base, 'Service');
		expect(selects({ matchLabels: service!.spec.selector }, labels)).toBe(false);
	});
});

describe('k8s/components/prometheus-operator', () => {
	const resources = resourcesOf('k8s/components/prometheus-operator');

	test('The rules are those of monitoring/alerts.yaml', () => {
		const [rule] = ofKind(resources, 'PrometheusRule');
		expect(rule!.spec).toEqual(readYaml('monitoring/alerts.yaml')[0]);
	});

	test('Every process is scraped, on the port and path of its metrics', () => {
		const [monitor] = ofKind(resources, 'PodMonitor');
		for (const deployment of deployments) expect(selects(monitor!.spec.selector, podLabels(deployment))).toBe(true);
		const ports = container(deployments[0]!).ports.map(({ name }: Manifest) => name);
		const [endpoint, ...others] = monitor!.spec.podMetricsEndpoints;
		expect([endpoint.path, ports.includes(endpoint.port), others]).toEqual(['/metrics', true, []]);
		expect(endpoint.honorLabels).toBe(true); // or `namespace` would be that of Kubernetes
	});
});

describe('every workload', () => {
	const all = [...base, ...resourcesOf('k8s/overlays/try')];
	const scheduled = ofKind(all, 'CronJob').map(({ metadata, spec }) => ({ metadata, spec: spec.jobTemplate.spec }));
	const workloads: Manifest[] = [...all.filter(({ spec }) => spec?.template), ...scheduled];

	test.each(workloads.map((one) => [one.metadata.name, one] as const))(
		'%s: is held to the restricted standard, on a read-only root, without a token, with bounds',
		(_, workload) => {
			const pod = workload.spec.template.spec;
			expect(pod.automountServiceAccountToken).toBe(false);
			expect(pod.enableServiceLinks).toBe(false);
			expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
			expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined]);
			for (const { securityContext, resources } of pod.containers) {
				expect(securityContext).toEqual({
					allowPrivilegeEscalation: false,
					readOnlyRootFilesystem: true,
					privileged: false,
					capabilities: { drop: ['ALL'] },
				});
				for (const kind of ['requests', 'limits']) {
					expect(Object.keys(resources[kind]).sort()).toEqual(['cpu', 'ephemeral-storage', 'memory']);
				}
			}
		},
	);

	test('Namespaces enforce that standard', () => {
		for (const overlay of ['example', 'try']) {
			const [namespace] = readYaml(`k8s/overlays/${overlay}/namespace.yaml`);
			expect(namespace!.metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
		}
	});
});
