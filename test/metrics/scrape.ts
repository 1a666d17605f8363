import { askAdmin } from '../support/ask-admin.ts';
import { bound } from '../support/bound.ts';

export interface Sample {
	name: string;
	labels: Record<string, string>;
	value: number;
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** A metric in PromQL, and the labels that it is chosen by */
const SELECTOR = /\b((?:slotwise|nodejs|process)_\w+)\s*(?:\{([^}]*)\})?/g;

/** What Prometheus would read from several processes. */
export class Scrape {
	readonly samples: Sample[] = [];
	/** By name, as `# TYPE` has it; also of metrics that have no series yet */
	readonly types = new Map<string, string>();

	/** @throws where a line is neither a comment nor a sample, or where a sample has no type */
	add(text: string): void {
		for (const line of text.split('\n')) {
			const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
			if (name && type) this.types.set(name, type);
			else if (line !== '' && !line.startsWith('#')) this.samples.push(this.#sample(line));
		}
	}

	/** Of every series with these labels, over all processes. */
	sum(name: string, labels: Record<string, string>): number {
		return this.samples
			.filter((sample) => sample.name === name)
			.filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
			.reduce((sum, { value }) => sum + value, 0);
	}

	/**
	 * What a query asks for that is not there.
	 * @param more labels that are there all the same
	 */
	faultsOf(query: string, more: readonly string[]): string[] {
		const selectors = [...query.matchAll(SELECTOR)];
		if (selectors.length === 0) return ['asks for no metric'];
		const known = new Set(more);
		const faults: string[] = [];
		for (const [, name, matchers = ''] of selectors) {
			if (!this.#isExposed(name!)) faults.push(name!);
			const labels = this.#labelsOf(name!);
			if (labels === undefined) continue;
			for (const label of labels) known.add(label);
			for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
				if (!labels.has(label!)) faults.push(`${name}{${label}}`);
			}
		}
		const isKnown = selectors.every(([, name]) => this.#labelsOf(name!) !== undefined);
		for (const [, list] of query.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)) {
			for (const label of list!.split(',')) if (isKnown && !known.has(label.trim())) faults.push(`by ${label.trim()}`);
		}
		return faults;
	}

	#isExposed(name: string): boolean {
		const histogram = name.replace(/_(bucket|sum|count)$/, '');
		return this.types.has(name) ? this.types.get(name) !== 'histogram' : this.types.get(histogram) === 'histogram';
	}

	/** undefined where there is no series to tell by */
	#labelsOf(name: string): Set<string> | undefined {
		const sample = this.samples.find((one) => one.name === name);
		return sample && new Set(Object.keys(sample.labels));
	}

	#sample(line: string): Sample {
		const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
		if (name === undefined || !this.#isExposed(name)) throw new Error(`no sample of a known type: ${line}`);
		const pairs = [...labels.matchAll(LABEL)].map(([, label, text]) => [label!, text!]);
		return { name, labels: Object.fromEntries(pairs), value: Number(value) };
	}
}

/** @param urls of admin ports */
export async function scrape(urls: string[]): Promise<Scrape> {
	const all = new Scrape();
	for (const url of urls) {
		const answer = await askAdmin(`${url}/metrics`, AbortSignal.timeout(bound(5_000, 7_500)));
		if (answer.status !== 200) throw new Error(`${url}/metrics answered ${answer.status}`);
		all.add(await answer.text());
	}
	return all;
}
