import { MongoClient } from 'mongodb';

/** Which server answers at a MongoDB URL: its figures are not those of another one. */
export async function databaseServer(url: string): Promise<string> {
	const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
	try {
		const { version, ferretdb } = await client.db('admin').command({ buildInfo: 1 });
		const own = (ferretdb as { version?: string } | undefined)?.version;
		return ferretdb === undefined ? `MongoDB ${version}` : `FerretDB ${own} (as MongoDB ${version})`;
	} finally {
		await client.close();
	}
}
