import type { Readiness } from '../../../shared/process/readiness.ts';
import { openapi } from '../openapi/openapi.ts';
import type { Operation } from '../operations/operation.ts';
import { dataAnswer, JSON_TYPE } from '../pipeline/answer.ts';
import type { Page } from '../pipeline/pipeline.ts';
import { docsPages } from './docs-pages.ts';
import { gzippedText, staticPage } from './static-page.ts';

/** What needs no key: the health of this process, and the API reference. */
export function pages(operations: readonly Operation[], readiness: Readiness): Record<string, Page> {
	return {
		'/healthz': () => dataAnswer(200, 'ok'),
		'/readyz': async () => {
			const report = await readiness.report();
			return dataAnswer(report.ready ? 200 : 503, report);
		},
		// No envelope: readers of OpenAPI expect the document itself.
		'/openapi.json': staticPage(() => gzippedText(JSON.stringify(openapi(operations))), { 'Content-Type': JSON_TYPE }),
		...docsPages(),
	};
}
