import { path } from '../line/arguments.ts';
import { commandHere } from '../line/command.ts';

export const backup = commandHere({
	name: 'backup',
	summary: 'copies the store of a running embedded process into a directory that `npm start` opens as it is',
	parameters: {
		directory: { meaning: 'Where the backup goes; made when missing, and else it has to be empty', parse: path },
	},
	options: {},
	here: async (program, { directory }) => (await import('../moving/backup.ts')).backup(program, directory),
});

export const restoreCheck = commandHere({
	name: 'restore-check',
	summary: 'looks whether a backup is whole, and audits it as `audit` does; the backup is only read',
	parameters: { directory: { meaning: 'The backup’s directory', parse: path } },
	options: {},
	here: async (_, { directory }) => (await import('../moving/check-backup.ts')).checkBackup(directory),
});
