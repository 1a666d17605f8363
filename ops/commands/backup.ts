import { rmSync } from 'node:fs';
import { readSecretKeyFile } from '../../shared/secrets/secret-key.ts';
import { path } from '../line/arguments.ts';
import { CommandFailed, commandHere, UsageError } from '../line/command.ts';
import { claimDirectory, finishBackup, type Manifest } from '../moving/backup-directory.ts';
import { checkBackup } from '../moving/check-backup.ts';
import { count } from '../tables.ts';

export const backup = commandHere({
	name: 'backup',
	summary: 'copies the store of a running embedded process into a directory that `npm start` opens as it is',
	parameters: {
		directory: { meaning: 'Where the backup goes; made when missing, and else it has to be empty', parse: path },
	},
	options: {},
	async here(program, { directory }) {
		const { config } = program;
		if (config.form === 'cluster') throw new UsageError('A cluster is backed up by its database’s own means.');
		const copy = claimDirectory(directory);
		try {
			const key = config.secretKeys === undefined ? readSecretKeyFile(config.dataDir) : undefined;
			await program.ask('ops.recordCommand', { event: 'store.backed_up', subject: directory });
			const copied = await program.ask('ops.copyStore', { file: copy });
			if (copied !== 'ok') throw new CommandFailed(copied.failed);
			const manifest = await finishBackup(directory, key, new Date().toISOString());
			return { data: { directory, ...manifest }, text: textOf(directory, manifest, key === undefined) };
		} catch (error) {
			if (!(error instanceof CommandFailed) && (error as NodeJS.ErrnoException).code === undefined) throw error;
			for (const file of [copy, `${copy}-journal`]) rmSync(file, { force: true }); // SQLite's own, where it was killed
			throw error instanceof CommandFailed
				? error
				: new CommandFailed(`The backup could not be written: ${(error as Error).message}.`);
		}
	},
});

function textOf(directory: string, { counts, files }: Manifest, keyIsElsewhere: boolean): string {
	const { bytes } = files['slotwise.db']!;
	const what = `${count(counts.bookings ?? 0, 'booking')}, ${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`;
	return [
		`${directory}: ${what}. Check it with \`restore-check ${directory}\`.`,
		keyIsElsewhere
			? 'SECRET_KEY is in the environment, not in the backup: keep a copy of it as well.'
			: 'secret.key is in it: whoever has the backup can read the secrets of webhooks.',
	].join('\n');
}

export const restoreCheck = commandHere({
	name: 'restore-check',
	summary: 'looks whether a backup is whole, and audits it as `audit` does; the backup is only read',
	parameters: { directory: { meaning: 'The backup’s directory', parse: path } },
	options: {},
	here: (_, { directory }) => checkBackup(directory),
});
