import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = join(import.meta.dirname, '../pages/guides');

const INTRODUCTION = `Publish services, let customers book them, and never be overbooked.

Every answer is JSON in an envelope: \`{"data": …}\` on success, \`{"error": …}\` on failure. Authenticate with
\`Authorization: Bearer <API key>\`. GET operations answer HEAD too. A value that is not set is \`null\`; times are
ISO 8601 in UTC. Fields, events and error texts may be added within /v1; ignore those that you do not know.`;

/** The introduction and the guides, as Markdown; readers of OpenAPI show its headings as chapters. */
export function description(): string {
	const guides = readdirSync(GUIDES).filter((name) => name.endsWith('.md'));
	const texts = guides.sort().map((name) => readFileSync(join(GUIDES, name), 'utf8').trim());
	return [INTRODUCTION, ...texts].join('\n\n');
}
