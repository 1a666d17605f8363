import { existsSync, readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { Malformed } from './parsers.ts';
import { type Values, type VariableName, variables, variablesInFiles } from './variables.ts';

export type { ServiceName } from './variables.ts';
export { SERVICE_NAMES } from './variables.ts';

type Common = ReturnType<typeof commonOf>;

/** One process, nothing else installed. */
export interface EmbeddedConfig extends Common {
	form: 'embedded';
	dataDir: string;
	/** Base64: one, or a new and an old one; undefined: the one in `dataDir` */
	secretKeys: string[] | undefined;
}

/** Processes over NATS, Redis and MongoDB. */
export interface ClusterConfig extends Common {
	form: 'cluster';
	natsUrl: string;
	redisUrl: string;
	mongoUrl: string;
	secretKeys: string[];
}

export type Config = Readonly<EmbeddedConfig | ClusterConfig>;

/** What is wrong with the environment: one sentence per fault. The process ends with exit code 78 (EX_CONFIG). */
export class ConfigError extends Error {
	readonly faults: string[];
	constructor(faults: string[]) {
		super(faults.join('\n'));
		this.faults = faults;
	}
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration, once, at the start.
 * @throws ConfigError with every fault that was found
 */
export function readConfig(environment: Environment): Config {
	const faults: string[] = [];
	const given = withFiles(environment, faults);
	const values = parseAll(given, faults);
	const form = formOf(given, values, faults);
	if (faults.length > 0) throw new ConfigError(faults);
	const common = commonOf(values, form);
	if (form === 'embedded') {
		return Object.freeze({ ...common, form, dataDir: values.DATA_DIR, secretKeys: values.SECRET_KEY });
	}
	return Object.freeze({
		...common,
		form,
		natsUrl: values.NATS_URL!,
		redisUrl: values.REDIS_URL!,
		mongoUrl: values.MONGO_URL!,
		secretKeys: values.SECRET_KEY!,
	});
}

/** What both forms have. */
function commonOf(values: Values, form: 'embedded' | 'cluster') {
	return {
		port: values.PORT,
		host: values.HOST,
		adminHost: values.ADMIN_HOST ?? values.HOST,
		adminPort: values.ADMIN_PORT,
		services: values.SERVICES,
		namespace: values.NAMESPACE,
		bootstrapKeys: values.BOOTSTRAP_KEYS,
		demo: values.DEMO ?? form === 'embedded',
		webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
		corsOrigins: values.CORS_ORIGINS,
		otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
		tracesSampler: values.OTEL_TRACES_SAMPLER,
		tracesSamplerArg: values.OTEL_TRACES_SAMPLER_ARG,
		trustProxy: values.TRUST_PROXY,
		operator: values.OPERATOR,
		logLevel: values.LOG_LEVEL,
		logFormat: values.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
	};
}

/** Where a variable may be kept out of the environment, `<name>_FILE` names a file that holds it. */
function withFiles(environment: Environment, faults: string[]): Environment {
	const given = { ...environment };
	for (const name of variablesInFiles) {
		const file = environment[`${name}_FILE`];
		if (!file) continue;
		if (environment[name]) faults.push(`${name} and ${name}_FILE are both set: leave one of them out.`);
		try {
			given[name] ||= readFileSync(file, 'utf8').trim();
		} catch (error) {
			faults.push(`${name}_FILE cannot be read: ${(error as Error).message}.`);
		}
		if (given[name] === '') faults.push(`${name}_FILE is empty.`);
	}
	return given;
}

function parseAll(environment: Environment, faults: string[]): Values {
	const values: Partial<Record<VariableName, unknown>> = {};
	for (const [name, { default: fallback, parse }] of Object.entries(variables)) {
		const given = environment[name] === '' ? undefined : environment[name];
		const text = given ?? fallback;
		if (text === undefined) continue;
		try {
			values[name as VariableName] = parse(text);
		} catch (error) {
			if (!(error instanceof Malformed)) throw error;
			faults.push(`${name} ${error.message}.`);
		}
	}
	return values as Values;
}

const CLUSTER_URLS = ['NATS_URL', 'REDIS_URL', 'MONGO_URL'] as const;

/** All three URLs choose the cluster, none the embedded form; some are refused. */
function formOf(environment: Environment, values: Values, faults: string[]): 'embedded' | 'cluster' {
	const missing = CLUSTER_URLS.filter((name) => !environment[name]);
	if (missing.length === CLUSTER_URLS.length) {
		if (values.SERVICES && values.SERVICES.length < 6) {
			faults.push('SERVICES names a part of the services, which needs NATS_URL, REDIS_URL and MONGO_URL.');
		}
		return 'embedded';
	}
	if (missing.length > 0) {
		faults.push(`${missing.join(' and ')} must be set too: a cluster needs all three, or none.`);
	} else if (!environment.SECRET_KEY) {
		faults.push('SECRET_KEY must be set in a cluster: 32 bytes in base64, such as `openssl rand -base64 32` prints.');
	}
	if (values.SECRET_KEY?.[0] === ALL_ZERO) {
		faults.push(
			'SECRET_KEY is all zeros, which seals nothing: take 32 random bytes, `openssl rand -base64 32` prints some.',
		);
	}
	return 'cluster';
}

/** Of 32 bytes: what is left where an example was copied */
const ALL_ZERO = Buffer.alloc(32).toString('base64');

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
