import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './http-client.ts';
import { type Form, PACKAGES, type PackageName, type Product } from './product.ts';

/**
 * The product that a whole run shares. The global set-up starts it; the test workers, which are other processes, learn
 * of it through a file whose path is in this variable.
 */
const VARIABLE = 'TEST_PRODUCT';

export interface SharedProduct {
	form: Form;
	urls: string[];
	/** Of every process */
	adminUrls: string[];
	logFiles: string[];
	/** What the operators' commands need to reach it */
	operatorEnv: Record<string, string>;
	keys: string;
}

/** Called once, before the workers start. */
export function shareProduct(product: Product): void {
	const keys = join(product.directory, 'keys');
	for (const name of PACKAGES) {
		mkdirSync(join(keys, name), { recursive: true });
		for (const key of product.keys[name]) writeFileSync(join(keys, name, key), '');
	}
	const shared: SharedProduct = {
		form: product.form,
		urls: product.urls(),
		adminUrls: product.processes.map((one) => one.adminUrl),
		logFiles: product.processes.map((one) => one.logFile),
		operatorEnv: product.operatorEnv,
		keys,
	};
	const file = join(product.directory, 'shared.json');
	writeFileSync(file, JSON.stringify(shared));
	process.env[VARIABLE] = file;
}

export function sharedProduct(): SharedProduct {
	const file = process.env[VARIABLE];
	if (file === undefined) throw new Error(`${VARIABLE} is not set: this suite needs the global set-up`);
	return JSON.parse(readFileSync(file, 'utf8')) as SharedProduct;
}

/** A client without a key. */
export function anonymous(): Client {
	return new Client(sharedProduct().urls);
}

/** A client with the key of an account that no other test uses. */
export function newAccount(packageName: PackageName = 'Unlimited'): Client {
	const { urls, keys } = sharedProduct();
	return new Client(urls, takeKey(join(keys, packageName)));
}

/** A key is taken by removing its file, which only one process can. */
function takeKey(directory: string): string {
	for (const key of readdirSync(directory)) {
		try {
			unlinkSync(join(directory, key));
			return key;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		}
	}
	throw new Error(`no key is left in ${directory}: raise its number in global-setup.ts`);
}
