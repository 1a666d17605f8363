import { rmSync } from 'node:fs';
import { readSecretKeyFile } from '../../shared/secrets/secret-key.ts';
import { CommandFailed, type Outcome, type Program, UsageError } from '../line/command.ts';
import { count } from '../tables.ts';
import { claimDirectory, finishBackup, type Manifest } from './backup-directory.ts';

export async function backup(program: Program, directory: string): Promise<Outcome> {
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
}

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
