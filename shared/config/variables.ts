import {
	addressBlock,
	bootstrapKey,
	flag,
	integer,
	list,
	matching,
	oneOf,
	origin,
	orOff,
	type Parser,
	ratio,
	secretKeys,
	text,
	url,
} from './parsers.ts';

export const SERVICE_NAMES = ['gateway', 'accounts', 'catalog', 'booking', 'customer', 'notifications'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

interface Variable<T> {
	meaning: string;
	/** As it would be written in the environment; undefined: not set */
	default?: string;
	example: string;
	parse: Parser<T>;
}

const host = matching(/^[A-Za-z0-9.:-]{1,253}$/, 'a host name or an address');

const variable = <T>(definition: Variable<T>): Variable<T> => definition;

/** Every variable that Slotwise reads. `docs/operations.md` lists them, and a test compares. */
export const variables = {
	PORT: variable({
		meaning: 'Port of the API; 0 takes any free one and prints it',
		default: '3000',
		example: '8080',
		parse: integer(0, 65_535),
	}),
	HOST: variable({
		meaning: 'Address that the API listens on, and the admin port where ADMIN_HOST is not set',
		default: '127.0.0.1',
		example: '0.0.0.0',
		parse: host,
	}),
	ADMIN_HOST: variable({
		meaning: 'Address that the admin port listens on; without it that of HOST',
		example: '10.0.0.7',
		parse: host,
	}),
	ADMIN_PORT: variable({
		meaning: 'Port of /healthz, /readyz and /metrics of every process; off for none, 0 for any free one',
		default: '9464',
		example: 'off',
		parse: orOff(integer(0, 65_535)),
	}),
	DATA_DIR: variable({
		meaning: 'Directory of the embedded store; made when missing; one process at a time',
		default: './data',
		example: '/var/lib/slotwise',
		parse: text,
	}),
	NATS_URL: variable({
		meaning: 'Bus of a cluster; several servers are separated by commas',
		example: 'nats://user:password@nats:4222',
		parse: (value) => list(url('nats:', 'tls:'))(value).join(','),
	}),
	REDIS_URL: variable({
		meaning: 'Locks and rate limits of a cluster',
		example: 'redis://:password@redis:6379/0',
		parse: url('redis:', 'rediss:'),
	}),
	MONGO_URL: variable({
		meaning: 'Database of a cluster',
		example: 'mongodb://user:password@mongo:27017/slotwise?replicaSet=rs0',
		parse: url('mongodb:', 'mongodb+srv:'),
	}),
	SERVICES: variable({
		meaning: 'Services of this process, separated by commas',
		default: SERVICE_NAMES.join(','),
		example: 'booking,customer',
		parse: (value) => [...new Set(list(oneOf(...SERVICE_NAMES))(value))],
	}),
	NAMESPACE: variable({
		meaning: 'Prefix on the bus and in Redis, label of all metrics; the database where MONGO_URL names none',
		default: 'slotwise',
		example: 'staging',
		parse: matching(/^[a-z][a-z0-9-]{0,31}$/, 'a lower-case word of at most 32 characters'),
	}),
	BOOTSTRAP_KEYS: variable({
		meaning: 'First API keys, <key>:<Package>, separated by commas; each unknown one gets an account of its own',
		default: '',
		example: 'slw_…:Developer',
		parse: list(bootstrapKey),
	}),
	DEMO: variable({
		meaning:
			'1 makes a demo account where there is no key, and prints its key; embedded it is 1 unless it is set, in a cluster 0',
		example: '1',
		parse: flag,
	}),
	SECRET_KEY: variable({
		meaning:
			'Encrypts webhook secrets at rest; `new,old` while it is replaced; required in a cluster, made in DATA_DIR embedded',
		example: 'the output of: openssl rand -base64 32',
		parse: secretKeys,
	}),
	WEBHOOK_ALLOW_PRIVATE: variable({
		meaning: '1 allows webhooks over http and to private addresses',
		default: '0',
		example: '1',
		parse: flag,
	}),
	CORS_ORIGINS: variable({
		meaning: 'Exact origins whose pages may call the API, separated by commas',
		default: '',
		example: 'https://app.example.com',
		parse: list(origin),
	}),
	OTEL_EXPORTER_OTLP_ENDPOINT: variable({
		meaning: 'Where traces go; none are made without it',
		example: 'http://collector:4318',
		parse: url('http:', 'https:'),
	}),
	OTEL_TRACES_SAMPLER: variable({
		meaning: 'Which requests are traced, in the words of OpenTelemetry',
		default: 'parentbased_always_on',
		example: 'parentbased_traceidratio',
		parse: oneOf(
			'always_on',
			'always_off',
			'traceidratio',
			'parentbased_always_on',
			'parentbased_always_off',
			'parentbased_traceidratio',
		),
	}),
	OTEL_TRACES_SAMPLER_ARG: variable({
		meaning: 'Part of the requests that a sampler by ratio traces, 0 to 1',
		default: '1',
		example: '0.05',
		parse: ratio,
	}),
	TRUST_PROXY: variable({
		meaning: 'Addresses or CIDR blocks of proxies whose X-Forwarded-For counts, separated by commas',
		default: '',
		example: '10.0.0.0/8',
		parse: list(addressBlock),
	}),
	OPERATOR: variable({
		meaning: 'Who gives a command, for the operator log; without it the system’s user and host',
		example: 'ada',
		parse: matching(/^[^\p{C}]{1,72}$/u, 'a text of 1 to 72 visible characters'),
	}),
	LOG_LEVEL: variable({
		meaning: 'The least severe level that is logged',
		default: 'info',
		example: 'debug',
		parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
	}),
	LOG_FORMAT: variable({
		meaning: 'pretty or json; without it pretty on a terminal, else json',
		example: 'json',
		parse: oneOf('pretty', 'json'),
	}),
} as const;

export type VariableName = keyof typeof variables;

/** Those that are secret or have passwords in them: each may come from a file that `<name>_FILE` names. */
export const variablesInFiles = ['SECRET_KEY', 'BOOTSTRAP_KEYS', 'NATS_URL', 'REDIS_URL', 'MONGO_URL'] as const;
type Parsed<K extends VariableName> = ReturnType<(typeof variables)[K]['parse']>;
type Optional =
	| 'ADMIN_HOST'
	| 'NATS_URL'
	| 'REDIS_URL'
	| 'MONGO_URL'
	| 'DEMO'
	| 'SECRET_KEY'
	| 'OTEL_EXPORTER_OTLP_ENDPOINT'
	| 'OPERATOR'
	| 'LOG_FORMAT';

/** The value of each variable; undefined only where it is not set and has no default. */
export type Values = { [K in Exclude<VariableName, Optional>]: Parsed<K> } & { [K in Optional]: Parsed<K> | undefined };
