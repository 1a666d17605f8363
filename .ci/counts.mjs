import { readFileSync } from 'node:fs';

/** Prints what Jest's report counted: passed, failed (a file that cannot be run is one), skipped. */
const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
process.stdout.write(`${report.numPassedTests} ${failed} ${report.numPendingTests + report.numTodoTests}\n`);
