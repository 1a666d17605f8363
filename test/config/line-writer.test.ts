import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { LineWriter } from '../../shared/log/log.ts';

function writing() {
	const written: string[] = [];
	return { written, writer: new LineWriter({ write: (text: string) => void written.push(text) }) };
}

test('When lines come in one turn of the event loop, then they are written together at its end', async () => {
	const { written, writer } = writing();
	writer.write('a\n');
	writer.write('b\n');
	expect(written).toEqual([]);
	await turn();
	writer.write('c\n');
	await turn();
	expect(written).toEqual(['a\nb\n', 'c\n']);
});

test('When a turn has many lines, then not all of them wait for its end', () => {
	const { written, writer } = writing();
	const line = `${'x'.repeat(1_000)}\n`;
	for (let count = 0; count < 20; count++) writer.write(line);
	expect(written).toEqual([line.repeat(17)]);
});

test('When the process is about to end, then the lines of its last turn are written', () => {
	const { written, writer } = writing();
	writer.write('the last words\n');
	process.listeners('exit').at(-1)!(0);
	expect(written).toEqual(['the last words\n']);
});
