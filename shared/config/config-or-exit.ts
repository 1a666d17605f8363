import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { type Config, ConfigError, readConfig } from './config.ts';

const EXIT_CONFIG = 78; // EX_CONFIG of sysexits.h

/** The configuration from the environment and `.env`; where it is wrong, one sentence per fault and the process ends. */
export function configOrExit(): Config {
	try {
		if (existsSync('.env')) loadEnvFile('.env');
		return readConfig(process.env);
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		process.stderr.write(`${error.message}\n`);
		process.exit(EXIT_CONFIG);
	}
}
