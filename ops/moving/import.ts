import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../shared/config/config.ts';
import { Malformed, secretKeys } from '../../shared/config/parsers.ts';
import { SecretBox } from '../../shared/secrets/secret-box.ts';
import { keyBytes, readSecretKeyFile, secretKeyFile, secretKeysOf } from '../../shared/secrets/secret-key.ts';
import { DataDirInUse } from '../../shared/store/embedded/database.ts';
import { madeBy } from '../../shared/store/embedded/made-by.ts';
import { QUIET_AFTER, sayClosing } from '../../shared/store/store-gate.ts';
import { CommandFailed, type Outcome, type Program, UsageError } from '../line/command.ts';
import { movedText } from '../tables.ts';
import { assertEmpty, checkExport, importStore } from './import-store.ts';
import { recordInStore } from './record-in-store.ts';
import { withStoreOf } from './with-store.ts';

/** ms after which a process that is on the bus was heard of: it tells of itself every second */
const HEARD_WITHIN = 2_500;

/** @param keyFile with the SECRET_KEY of the source, where the target has another one */
export async function importAll(program: Program, file: string, keyFile: string | undefined): Promise<Outcome> {
	const begun = performance.now();
	const { config } = program;
	const sourceKeys = keyFile === undefined ? [] : keysIn(keyFile);
	const header = await checkExport(file, boxOf([...keysOf(config), ...sourceKeys]));
	await assertNobodyServes(program);
	if (config.form === 'embedded') assertNotOfAnother(config.dataDir);
	try {
		const counts = await withStoreOf(config, async (store) => {
			await assertEmpty(store);
			await sayClosing(store.connection, 'unfinished');
			if (config.form === 'cluster') {
				await delay(QUIET_AFTER); // of a process that was just starting
				await assertNobodyServes(program);
			}
			const keys = await secretKeysOf(config, async () => false);
			const record = () => recordInStore(store, config, 'store.imported', file);
			return importStore(store, file, header, new SecretBox([...keys, ...sourceKeys]), record);
		});
		const moved = movedText(counts, performance.now() - begun);
		return { data: { file, counts }, text: `${file}: ${moved}. Audit it as soon as it is started.` };
	} catch (error) {
		if (error instanceof DataDirInUse) throw new UsageError(`${error.message}: stop that first.`);
		throw error;
	}
}

/** @throws UsageError where another format made the store: to open it would bring it forward, and so change what is refused */
function assertNotOfAnother(dataDir: string): void {
	const by = madeBy(dataDir);
	if (by === 'nobody' || by === 'this format') return;
	const release = by === 'an earlier one' ? 'an earlier' : 'a later';
	throw new UsageError(`The store is not empty: ${release} release made it. An import needs one that was never used.`);
}

/** @throws UsageError where a process is on the bus of the cluster */
async function assertNobodyServes({ config, join }: Program): Promise<void> {
	if (config.form === 'embedded') return; // the store itself lets one process in
	const broker = await join();
	if (broker === undefined) throw new CommandFailed('The bus at NATS_URL cannot be reached.');
	try {
		await delay(HEARD_WITHIN);
		const nodes = broker.registry.getNodeList({ onlyAvailable: true, withServices: false }) as unknown as {
			id: string;
		}[];
		const others = nodes.map(({ id }) => id).filter((id) => id !== broker.nodeID);
		if (others.length === 0) return;
		throw new UsageError(`${others.join(', ')} of this cluster still run: stop every process first.`);
	} finally {
		await broker.stop();
	}
}

/** Those that the target has already; none where an embedded one makes its key. */
function keysOf(config: Config): Buffer[] {
	if (config.secretKeys !== undefined) return keyBytes(config.secretKeys);
	if (config.form === 'cluster' || readSecretKeyFile(config.dataDir) === undefined) return [];
	return keysIn(join(config.dataDir, secretKeyFile));
}

function keysIn(file: string): Buffer[] {
	try {
		return keyBytes(secretKeys(readFileSync(file, 'utf8').trim()));
	} catch (error) {
		if (error instanceof Malformed) throw new UsageError(`${file} ${error.message}.`);
		throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
	}
}

function boxOf(keys: Buffer[]): SecretBox | undefined {
	return keys.length === 0 ? undefined : new SecretBox(keys);
}
