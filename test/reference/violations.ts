import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, of every rule that it has for WCAG 2.2 A and AA and for good practice */
export async function violations(page: Page): Promise<unknown> {
	if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
	return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
		violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary)]))`);
}
