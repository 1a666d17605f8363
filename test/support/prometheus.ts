import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from './free-port.ts';
import { type Server, startServer } from './servers.ts';

/** A real Prometheus, as a platform team would run it beside the product. */
export class Prometheus {
	readonly #server: Server;
	readonly #directory: string;

	private constructor(server: Server, directory: string) {
		this.#server = server;
		this.#directory = directory;
	}

	/**
	 * @param targets base URLs of admin ports; each is scraped once a second
	 * @param ruleFiles evaluated as often
	 */
	static async start(targets: string[], ruleFiles: string[]): Promise<Prometheus> {
		const directory = mkdtempSync(join(tmpdir(), 'slotwise-prometheus-'));
		const config = {
			global: { scrape_interval: '1s', evaluation_interval: '1s' },
			rule_files: ruleFiles,
			scrape_configs: [
				{ job_name: 'slotwise', static_configs: [{ targets: targets.map((url) => new URL(url).host) }] },
			],
		};
		const file = join(directory, 'prometheus.yaml');
		writeFileSync(file, stringify(config));
		const port = await freePort();
		const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(directory, 'data')}`];
		args.push(`--web.listen-address=127.0.0.1:${port}`, '--log.level=warn');
		return new Prometheus(await startServer('prometheus', args, port, `http://127.0.0.1:${port}`), directory);
	}

	/** Series that an expression has now. @throws where Prometheus does not understand it */
	async query(expr: string): Promise<unknown[]> {
		const { result } = await this.#get<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`);
		return result;
	}

	/** Every rule with its health: `ok` where its last evaluation worked, `unknown` before the first. */
	async rules(): Promise<{ name: string; health: string; lastError?: string }[]> {
		const { groups } = await this.#get<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
		return groups.flatMap(({ rules }) => rules);
	}

	async stop(): Promise<void> {
		await this.#server.stop();
		rmSync(this.#directory, { recursive: true, force: true });
	}

	async #get<T>(path: string): Promise<T> {
		const answer = await fetch(`${this.#server.url}/api/v1/${path}`);
		const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
		if (status !== 'success') throw new Error(`${path}: ${error}`);
		return data;
	}
}
