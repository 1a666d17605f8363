import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../..');

// biome-ignore lint/suspicious/noExplicitAny: whatever a manifest holds; the schemas judge it in .ci/manifests
export type Manifest = Record<string, any>;

export function readYaml(file: string): Manifest[] {
	const text = readFileSync(join(ROOT, file), 'utf8');
	return parseAllDocuments(text, { merge: true }).map((document) => {
		if (document.errors.length > 0) throw document.errors[0];
		return document.toJS() as Manifest;
	});
}

/** What a directory's kustomization.yaml names, its own patch of every Deployment merged in; not what it is based on. */
export function resourcesOf(directory: string): Manifest[] {
	const [kustomization] = readYaml(join(directory, 'kustomization.yaml'));
	const files = (kustomization!.resources as string[]).filter((name) => name.endsWith('.yaml'));
	const resources = files.flatMap((name) => readYaml(join(directory, name)));
	const patch = (kustomization!.patches ?? []).find(
		({ path, target }: Manifest) => path !== undefined && target?.kind === 'Deployment',
	);
	if (patch === undefined) return resources;
	const [everyProcess] = readYaml(join(directory, patch.path));
	return resources.map((one) => (one.kind === 'Deployment' ? merged(one, everyProcess!) : one));
}

/** The lists that kustomize merges by a key, of those that are used here. */
const KEYS: Record<string, string> = { containers: 'name', env: 'name', ports: 'containerPort' };

/** A strategic merge, as far as it is needed. What a manifest says itself stays. */
function merged(own: Manifest, patch: Manifest, list?: string): Manifest {
	if (Array.isArray(own) && Array.isArray(patch)) {
		const key = KEYS[list ?? ''];
		if (key === undefined) throw new Error(`two lists ${list}: which one stays?`);
		const others = patch.filter((item) => !own.some((one) => one[key] === item[key]));
		return [...others, ...own.map((one) => merged(one, patch.find((item) => item[key] === one[key]) ?? {}))];
	}
	if (typeof own !== 'object' || typeof patch !== 'object') return own;
	const names = new Set([...Object.keys(patch), ...Object.keys(own)]);
	return Object.fromEntries(
		[...names].map((name) => {
			if (!(name in own)) return [name, patch[name]];
			return [name, name in patch ? merged(own[name], patch[name], name) : own[name]];
		}),
	);
}

export function ofKind(resources: Manifest[], kind: string): Manifest[] {
	return resources.filter((one) => one.kind === kind);
}

/** The variables of a kustomization's ConfigMap `slotwise`. */
export function configOf(directory: string): Record<string, string> {
	const [kustomization] = readYaml(join(directory, 'kustomization.yaml'));
	const { literals } = kustomization!.configMapGenerator.find(({ name }: Manifest) => name === 'slotwise');
	return Object.fromEntries((literals as string[]).map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** Whether a selector of labels, absent or empty ones too, takes these labels. */
export function selects(selector: Manifest | undefined, labels: Record<string, string>): boolean {
	const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
	return (
		Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
		(matchExpressions as Manifest[]).every(
			({ key, operator, values }) => operator === 'In' && values.includes(labels[key]),
		)
	);
}

export function podLabels(workload: Manifest): Record<string, string> {
	return workload.spec.template.metadata.labels;
}

export function container(workload: Manifest): Manifest {
	return workload.spec.template.spec.containers[0];
}
