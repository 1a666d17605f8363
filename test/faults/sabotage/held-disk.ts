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
		const says = fs.existsSync(held) ? fs.readFileSync(held, 'utf8') : undefined;
		if (says === undefined) fdatasync(file, callback);
		else if (says === 'fail') callback(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
		else setTimeout(look, 10);
	};
	look();
}) as typeof fs.fdatasync;
syncBuiltinESMExports();
