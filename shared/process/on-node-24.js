import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Imported before anything else, by `main.js` and by the scripts in package.json: what follows runs on Node 24 or newer.
 * Where the Node that runs this is older, the same command line is handed to a newer one, and nothing follows here. So this
 * file, and what it loads then, is JavaScript for Node 20 (ADR 29).
 */
const packages = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules') + sep;
const isOld = Number.parseInt(process.versions.node, 10) < 24;
const wasHandedOver = process.env.SLOTWISE_LAUNCHER !== undefined;
if (isOld || wasHandedOver || process.execPath.startsWith(packages)) {
	await (await import('./trusted-node.js')).runOnTrustedNode(isOld);
}

// Not for the processes that this one forks, which may have another working directory.
const at = process.execArgv.findIndex((word) => word.endsWith('/on-node-24.js'));
if (at > 0) process.execArgv.splice(at - 1, 2);
