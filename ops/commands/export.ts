import { path } from '../line/arguments.ts';
import { commandHere } from '../line/command.ts';

export const exportAll = commandHere({
	name: 'export',
	summary: 'writes all that the store holds into a file, for `import` in this form or the other one',
	parameters: { file: { meaning: 'A new file: gzip of JSON lines', parse: path } },
	options: { close: { meaning: 'The store refuses changes from then on, and sends nothing, until `reopen`' } },
	here: async (program, { file, close }) => (await import('../moving/export.ts')).exportAll(program, file, close),
});

export const reopen = commandHere({
	name: 'reopen',
	summary: 'a store that `export --close` closed takes changes again',
	parameters: {},
	options: {},
	here: async (program) => (await import('../moving/export.ts')).reopen(program),
});
