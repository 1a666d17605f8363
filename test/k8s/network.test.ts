import { BlockList, isIPv6 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { container, type Manifest, ofKind, podLabels, resourcesOf, selects } from './manifests.ts';

const base = resourcesOf('k8s/base');
const deployments = ofKind(base, 'Deployment');
const policies = ofKind(base, 'NetworkPolicy');

const policiesOf = (deployment: Manifest, type: 'Ingress' | 'Egress') =>
	policies.filter(({ spec }) => spec.policyTypes.includes(type) && selects(spec.podSelector, podLabels(deployment)));

const peersOf = (deployment: Manifest) =>
	policiesOf(deployment, 'Egress')
		.flatMap(({ spec }) => spec.egress ?? [])
		.flatMap(({ to }: Manifest) => to as Manifest[]);

/** Whether a pod may reach an address that is not a pod's. */
function reaches(deployment: Manifest, address: string): boolean {
	const family = isIPv6(address) ? 'ipv6' : 'ipv4';
	const inside = (cidr: string) => {
		const [network = '', bits] = cidr.split('/');
		const list = new BlockList();
		if (isIPv6(network) !== isIPv6(address)) return false;
		list.addSubnet(network, Number(bits), family);
		return list.check(address, family);
	};
	const blocks = peersOf(deployment).flatMap(({ ipBlock }) => ipBlock ?? []);
	return blocks.some(({ cidr, except = [] }: Manifest) => inside(cidr) && !except.some(inside));
}

const PUBLIC = ['93.184.216.34', '2606:4700::1111'];
const OURS = [
	...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '127.0.0.1', '0.0.0.0'],
	...['169.254.169.254', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
	...['::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '64:ff9b::7f00:1', '::ffff:10.0.0.1', '2002:7f00:1::', '2001::1'],
];

describe('the network policies', () => {
	test('Nothing comes in or goes out of a pod that no policy allows', () => {
		const [denial] = policies.filter(({ spec }) => !spec.ingress && !spec.egress);
		expect(denial!.spec.policyTypes).toEqual(['Ingress', 'Egress']);
		for (const deployment of deployments) expect(selects(denial!.spec.podSelector, podLabels(deployment))).toBe(true);
	});

	test('The API’s port is open to the ingress controller, the admin port to the monitoring, and no other port to anybody', () => {
		for (const deployment of deployments) {
			const rules = policiesOf(deployment, 'Ingress').flatMap(({ spec }) => (spec.ingress ?? []) as Manifest[]);
			const open = rules.map(({ from, ports }) => [
				ports.map(({ port }: Manifest) => port),
				from.map(({ namespaceSelector }: Manifest) => Object.values(namespaceSelector.matchLabels)),
			]);
			const own = container(deployment).ports.map(({ name }: Manifest) => name);
			const http = [['http'], [['ingress-nginx']]];
			expect(open).toEqual([[['admin'], [['monitoring']]], ...(own.includes('http') ? [http] : [])]);
		}
	});

	test('Every process reaches names, NATS, Redis and MongoDB', () => {
		for (const deployment of deployments) {
			const labels = peersOf(deployment).flatMap(({ podSelector }) => Object.values(podSelector?.matchLabels ?? {}));
			expect(labels).toEqual(['kube-dns', 'nats', 'redis', 'mongo']);
		}
	});

	test('Only notifications reaches public addresses, and nothing reaches one of a private network', () => {
		for (const deployment of deployments) {
			const allowed = [...PUBLIC, ...OURS].filter((address) => reaches(deployment, address));
			expect(allowed).toEqual(deployment.metadata.name === 'notifications' ? PUBLIC : []);
		}
	});
});
