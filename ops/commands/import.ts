import { path } from '../line/arguments.ts';
import { commandHere } from '../line/command.ts';

export const importAll = commandHere({
	name: 'import',
	summary: 'fills an empty store that nobody serves with what `export` wrote, in either form',
	parameters: { file: { meaning: 'What `export` wrote', parse: path } },
	options: {
		'secret-key-file': {
			meaning: 'A file with the SECRET_KEY of the source, where the target has another one',
			placeholder: 'file',
			parse: path,
		},
	},
	async here(program, { file, 'secret-key-file': keyFile }) {
		return (await import('../moving/import.ts')).importAll(program, file, keyFile);
	},
});
