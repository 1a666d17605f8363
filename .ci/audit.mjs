import { readFileSync } from 'node:fs';

/** Prints what came of `npm audit --json`: clean, vulnerable, or refused where the registry does not answer it. */
let report = {};
try {
	report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
} catch {
	// nothing that could be read came back
}
const total = report.metadata?.vulnerabilities?.total;
process.stdout.write(`${total === undefined ? 'refused' : total === 0 ? 'clean' : 'vulnerable'}\n`);
