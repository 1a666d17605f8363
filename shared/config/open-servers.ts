import type { ClusterConfig } from './config.ts';

/** The variables of those servers that let anybody in who reaches them: their URLs have neither TLS nor a password. */
export function openServers({ natsUrl, redisUrl, mongoUrl }: ClusterConfig): string[] {
	const isOpen = { NATS_URL: isOpenNats(natsUrl), REDIS_URL: isOpenRedis(redisUrl), MONGO_URL: isOpenMongo(mongoUrl) };
	return Object.entries(isOpen).flatMap(([name, open]) => (open ? [name] : []));
}

/** Of several servers the first one's user and password count for all, and TLS of one asks it of all. */
function isOpenNats(urls: string): boolean {
	const servers = urls.split(',').map((url) => new URL(url));
	return servers[0]?.password === '' && servers.every(({ protocol }) => protocol !== 'tls:');
}

function isOpenRedis(url: string): boolean {
	const { protocol, password } = new URL(url);
	return protocol !== 'rediss:' && password === '';
}

/** A connection string may list several hosts, so it is no URL that the platform's parser would take. */
function isOpenMongo(url: string): boolean {
	const [, scheme, authority, query = ''] = /^(mongodb(?:\+srv)?):\/\/([^/?]*)(?:[^?]*\?(.*))?/s.exec(url)!;
	const options = new URLSearchParams(query);
	const said = options.get('tls') ?? options.get('ssl');
	const hasTls = said === null ? scheme === 'mongodb+srv' : said === 'true';
	return !hasTls && !/^[^@]*:[^@]+@/.test(authority!);
}
