import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into a process of the product before its own code: a disk that takes what it is given, and confirms none of it
 * while there is a file named by `HELD_DISK`. Where that says `fail`, it fails.
 */
const held = process.env.HELD_DISK!;
const { fdatasync } = fs;

fs.fdatasync = ((file: number, callback: fs.NoParamCallback) => {
	const look = (): void => {
		const says = whatItSays();
		if (says === undefined) fdatasync(file, callback);
		else if (says === 'fail') callback(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
		else setTimeout(look, 10);
	};
	look();
}) as typeof fs.fdatasync;
syncBuiltinESMExports();

/** `undefined` without the file: it may go at any moment, so it is read without a look whether it is there. */
function whatItSays(): string | undefined {
	try {
		return fs.readFileSync(held, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
