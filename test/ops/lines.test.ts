import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { commands } from '../../ops/commands.ts';
import { command } from '../../ops/line/command.ts';
import { parseCommand } from '../../ops/line/parse-command.ts';
import { ownerOfLine, splitLine } from '../../ops/line/repl-line.ts';

describe('lines of the REPL', () => {
	const run = () => Promise.reject(new Error('not run'));
	const named = (name: string) => command({ name, summary: '', parameters: {}, options: {}, needs: [], run });
	const ours = ['audit', 'events tail', 'keys list', 'keys create'].map(named);
	const theirs = ['events', 'call', 'nodes', 'exit', 'q'];

	test.each([
		['audit', 'ours'],
		['  audit  7 --repair', 'ours'],
		['keys list acc_1', 'ours'],
		['keys', 'ours'],
		['keys delete', 'ours'],
		['events tail acc_1', 'ours'],
		['events', 'theirs'],
		['events --all', 'theirs'],
		['events tailor', 'theirs'],
		['call booking.get', 'theirs'],
		['nope', 'theirs'],
		['', 'theirs'],
		['help', 'both'],
		['help events', 'both'],
		['help keys', 'ours'],
		['help call', 'theirs'],
	])('When the line is "%s", then it is %s', (line, owner) => {
		expect(ownerOfLine(`${line}\n`, ours, theirs)).toBe(owner);
	});

	test.each([
		['a  b\tc\n', ['a', 'b', 'c']],
		['--name "Ada\'s Piano" \'x "y"\'', ['--name', "Ada's Piano", 'x "y"']],
		['--name="Ada B" ""', ['--name=Ada B', '']],
		['', []],
		['--name "Ada', undefined],
		["Ada's", undefined],
	])('When the line is %j, then its words are %j', (line, words) => {
		expect(splitLine(line)).toEqual(words);
	});
});

test('When docs/operations.md shows a command, then it can be run', () => {
	const manual = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
	const blocks = [...manual.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'));
	const lines = blocks.filter((line) => line.startsWith('npm run ops -- '));
	expect(lines.length).toBeGreaterThan(8);
	for (const line of lines) {
		const words = splitLine(line.replace('npm run ops -- ', '').replaceAll('_…', '_demo'))!;
		expect(parseCommand(commands, words)).toMatchObject({ command: { name: expect.stringContaining(words[0]!) } });
	}
});
