import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { ExportComplaints } from './export-complaints.ts';

/** An exporter whose failures are told, which the SDK keeps to itself. */
export class ToldExporter implements SpanExporter {
	readonly #exporter: SpanExporter;
	readonly #complaints: ExportComplaints;

	constructor(exporter: SpanExporter, complaints: ExportComplaints) {
		this.#exporter = exporter;
		this.#complaints = complaints;
	}

	export(...[spans, callback]: Parameters<SpanExporter['export']>): void {
		this.#exporter.export(spans, (result) => {
			if (result.error) this.#complaints.tell(reasonOf(result.error));
			else this.#complaints.settle();
			callback(result);
		});
	}

	async shutdown(): Promise<void> {
		await this.#exporter.shutdown();
	}
}

/** An error that stands for several, such as one an address, has no message. */
function reasonOf(error: Error & { code?: unknown }): string {
	return error.message || String(error.code ?? error.name);
}
