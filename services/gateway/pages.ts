import type { Readiness } from '../../shared/runtime/readiness.ts';
import { openapi } from './openapi/openapi.ts';
import type { Operation } from './operations/operation.ts';
import { dataAnswer } from './pipeline/answer.ts';
import type { Page } from './pipeline/pipeline.ts';

/** What needs no key: the health of this process, and the API reference for machines. */
export function pages(operations: readonly Operation[], readiness: Readiness): Record<string, Page> {
	const reference = JSON.stringify(openapi(operations));
	return {
		'/healthz': () => dataAnswer(200, 'ok'),
		'/readyz': async () => {
			const report = await readiness.report();
			return dataAnswer(report.ready ? 200 : 503, report);
		},
		// No envelope: readers of OpenAPI expect the document itself.
		'/openapi.json': () => ({ status: 200, body: reference }),
	};
}
