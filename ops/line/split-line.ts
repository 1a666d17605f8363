const QUOTED = /"([^"]*)"|'([^']*)'/g;

/**
 * The words of a line, as a shell reads them: blanks separate, quotes keep together what is between them.
 * @returns undefined where a quote is not closed
 */
export function splitLine(line: string): string[] | undefined {
	if (/["']/.test(line.replace(QUOTED, ''))) return undefined;
	const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
	return words.map((word) => word.replace(QUOTED, (_, double?: string, single?: string) => double ?? single!));
}
