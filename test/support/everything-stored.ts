import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { embeddedDataDir, type Product } from './product.ts';

/** All that a product's store holds: the files of `DATA_DIR`, its log included, or each document of the database. */
export async function everythingStored(product: Product): Promise<Buffer> {
	return product.mongoUrl === undefined ? filesOf(embeddedDataDir(product)) : documentsOf(product.mongoUrl);
}

function filesOf(directory: string): Buffer {
	const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
	return Buffer.concat(files.map(({ name }) => readFileSync(join(directory, name))));
}

async function documentsOf(url: string): Promise<Buffer> {
	const client = new MongoClient(url);
	try {
		const parts: Buffer[] = [];
		for (const { name } of await client.db().listCollections().toArray()) {
			const documents = await client.db().collection(name).find({}, { raw: true }).toArray();
			parts.push(...(documents as unknown as Buffer[]));
		}
		return Buffer.concat(parts);
	} finally {
		await client.close();
	}
}
