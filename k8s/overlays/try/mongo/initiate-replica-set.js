/**
 * For mongosh: waits for the server, makes it a replica set of one, waits until it is the primary, and gives Slotwise a
 * user of its own. It may run any number of times.
 *
 *     mongosh --nodb initiate-replica-set.js
 *
 * MONGO_HOST is the server as the members and clients of the set call it, MONGO_SECRETS the directory of the passwords.
 */
const { readFileSync } = require('node:fs');

const host = process.env.MONGO_HOST ?? 'mongo:27017';
const NOT_YET_INITIALIZED = 94;
const ATTEMPTS = 120;

const password = (name) => readFileSync(`${process.env.MONGO_SECRETS}/${name}-password`, 'utf8').trim();

/** The server does not answer from outside before its own first start has made the user root. */
function untilConnected() {
	const url = `mongodb://root:${password('root')}@${host}/admin?directConnection=true&serverSelectionTimeoutMS=2000`;
	for (let attempt = 1; ; attempt++) {
		try {
			return connect(url);
		} catch (error) {
			if (attempt === ATTEMPTS) throw error;
			print(`waiting for ${host}: ${error.codeName ?? error.name}`);
			sleep(1000);
		}
	}
}

function initiate(admin) {
	try {
		admin.adminCommand({ replSetGetStatus: 1 });
		return;
	} catch (error) {
		if (error.code !== NOT_YET_INITIALIZED) throw error;
	}
	admin.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
	print('replica set rs0 initiated');
}

function untilPrimary(admin) {
	for (let attempt = 1; !admin.adminCommand({ hello: 1 }).isWritablePrimary; attempt++) {
		if (attempt === ATTEMPTS) throw new Error(`${host} does not become the primary`);
		sleep(1000);
	}
}

function giveUser(database) {
	const user = { pwd: password('slotwise'), roles: [{ role: 'readWrite', db: 'slotwise' }] };
	if (database.getUser('slotwise') === null) database.createUser({ user: 'slotwise', ...user });
	else database.updateUser('slotwise', user);
}

const admin = untilConnected();
initiate(admin);
untilPrimary(admin);
giveUser(admin.getSiblingDB('slotwise'));
print('MongoDB is ready');
