import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../docs/scale.md', import.meta.url);

export function readDocument(): string {
	return readFileSync(DOCUMENT, 'utf8');
}

/** A table of docs/scale.md that is between `<!-- name -->` and `<!-- /name -->`. */
export function blockOf(text: string, name: string): string | undefined {
	return new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)<!-- /${name} -->`).exec(text)?.[1]?.trimEnd();
}

/** Puts tables into their blocks. @throws where one has no block */
export function writeBlocks(blocks: Record<string, string>): void {
	let text = readDocument();
	for (const [name, content] of Object.entries(blocks)) {
		if (blockOf(text, name) === undefined) throw new Error(`docs/scale.md has no block ${name}`);
		const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
		const at = text.indexOf(begin) + begin.length;
		text = `${text.slice(0, at)}${content}\n${text.slice(text.indexOf(end))}`;
	}
	writeFileSync(DOCUMENT, text);
}
