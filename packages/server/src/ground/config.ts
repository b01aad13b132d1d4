import { closest, defaultMaxRunSize, defaultMaxSteps, publicBotApi } from '@millrace/core';
import { z } from 'zod';

/** All settings of the operator, read once. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The public address of the service; null for the address it listens on. */
  readonly publicUrl: string | null;
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy: readonly string[];
  /** Maximum bytes of an API body. */
  readonly maxBody: number;
  /** Maximum bytes of a webhook body. */
  readonly maxWebhookBody: number;
  readonly dataDir: string;
  /** The database file; null for the default in the data directory. */
  readonly databaseFile: string | null;
  /** The admin's key, if the operator sets one; otherwise it is generated at the first start. */
  readonly apiKey: string | null;
  /** The source of the encryption key; null for a key file beside the database. */
  readonly secretKey: string | null;
  /** The new key for `rotate-key`, if the operator sets keys. */
  readonly newSecretKey: string | null;
  /** Private addresses, networks and host names that outbound requests may reach. */
  readonly egressAllow: readonly string[];
  /** The address of the Bot API of the messaging platform, without a trailing slash. */
  readonly botApi: string;
  /** The file with the keys of ssh servers; null for none. */
  readonly sshKnownHostsFile: string | null;
  /** The file with the programs that are MCP servers; null for none. */
  readonly mcpServersFile: string | null;
  /** Maximum step attempts of one run. */
  readonly maxSteps: number;
  /** Maximum bytes that the steps of a run may output. */
  readonly maxRunSize: number;
  /** The file with the commands that workflows may run; null for none. */
  readonly commandsFile: string | null;
  /** The limits of user code. */
  readonly code: CodeSettings;
  /** Days after which ended executions are deleted; null for never. */
  readonly retentionDays: number | null;
  /** Maximum ended executions to retain per workflow; null for no limit. */
  readonly retentionRuns: number | null;
  /** Minutes after its end for which an execution is retained, whatever `retentionRuns` is. */
  readonly retentionMinutes: number;
  readonly logLevel: LogLevel;
}

/** The limits of user code, and how much of it runs at the same time. */
export interface CodeSettings {
  readonly limits: { readonly seconds: number; readonly memoryMb: number };
  readonly processes: number;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** An invalid setting. Its message is one line with the variable and the accepted values. */
export class ConfigError extends Error {}

/** The default maximum bytes of a body. */
export const defaultBodyBytes = { api: 1_048_576, webhook: 5_242_880 } as const;

/** The default for code: enough for any function that only computes, two at a time. */
export const defaultCode: CodeSettings = { limits: { seconds: 5, memoryMb: 128 }, processes: 2 };

/** A whole number in plain digits; other forms that JavaScript accepts (`1e3`, a blank) are probably typing errors. */
function wholeNumber(least: number, most: number) {
  const words = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, words)
    .transform(Number)
    .pipe(z.number().min(least, words).max(most, words));
}

/**
 * At least 1 KiB, so that a mistake (megabytes for bytes) does not lock everyone out; at most 16 MiB, because a body is
 * held in memory.
 */
const bodyBytes = wholeNumber(1024, 16_777_216);

/** Two weeks, and several megabytes per workflow; an hour to read the result of an execution of a busy workflow. */
const defaultRetention = { days: 14, runs: 10_000, minutes: 60 } as const;

const secretKey = z.string().min(32, 'must have at least 32 characters');

/** The items between commas. */
function list(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** If every address were trusted, each caller could claim any address; therefore no network of all addresses. */
const proxy = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: ({ input }) => `has '${String(input)}', which is neither an address nor a network such as 10.0.0.0/8`,
  })
  .refine((text) => !/\/0+$/.test(text), {
    error: ({ input }) =>
      `has '${String(input)}', which includes every address: list only the addresses of the proxies`,
  });

const settings = z.object({
  MILLRACE_HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  MILLRACE_PORT: wholeNumber(0, 65_535).default(7411),
  MILLRACE_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as https://flows.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  MILLRACE_TRUST_PROXY: z.string().default('').transform(list).pipe(z.array(proxy)),
  MILLRACE_MAX_BODY: bodyBytes.default(defaultBodyBytes.api),
  MILLRACE_MAX_WEBHOOK_BODY: bodyBytes.default(defaultBodyBytes.webhook),
  MILLRACE_COMMANDS: z.string().min(1, 'must not be empty').optional(),
  MILLRACE_CODE_SECONDS: wholeNumber(1, 300).default(defaultCode.limits.seconds),
  // The engine itself needs several megabytes; it accepts no limit above two gigabytes.
  MILLRACE_CODE_MEMORY: wholeNumber(16, 2000).default(defaultCode.limits.memoryMb),
  MILLRACE_CODE_PROCESSES: wholeNumber(1, 64).default(defaultCode.processes),
  MILLRACE_DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  MILLRACE_API_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]{8,200}$/,
      'must be 8 to 200 visible ASCII characters; preferably a key like those that the service generates',
    )
    .optional(),
  MILLRACE_SECRET_KEY: secretKey.optional(),
  MILLRACE_NEW_SECRET_KEY: secretKey.optional(),
  MILLRACE_EGRESS_ALLOW: z.string().default('').transform(list),
  MILLRACE_CHAT_BOT_API: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as http://127.0.0.1:8081' })
    .regex(/^[^?#@]*$/, 'must have no user name, query or fragment')
    .default(publicBotApi)
    .transform((url) => url.replace(/\/+$/, '')),
  MILLRACE_SSH_KNOWN_HOSTS: z.string().optional(),
  MILLRACE_MCP_SERVERS: z.string().optional(),
  MILLRACE_DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:<file>; other databases are not supported yet')
    .optional(),
  // Ten million facts are gigabytes of journal; more is a mistake.
  MILLRACE_MAX_STEPS: wholeNumber(1, 10_000_000).default(defaultMaxSteps),
  MILLRACE_RETENTION_DAYS: wholeNumber(0, 36_500).default(defaultRetention.days),
  MILLRACE_RETENTION_RUNS: wholeNumber(0, 100_000_000).default(defaultRetention.runs),
  // At most a week: beyond that, the number should be raised.
  MILLRACE_RETENTION_MINUTES: wholeNumber(0, 10_080).default(defaultRetention.minutes),
  // A run is in memory while it runs; a process can hold a run of up to a gigabyte.
  MILLRACE_MAX_RUN_BYTES: wholeNumber(1024, 1_073_741_824).default(defaultMaxRunSize),
  MILLRACE_LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** Names of the variables that Kubernetes sets for a service called `millrace` or `millrace-…`, but for `…_PORT`. */
const serviceLinkName =
  /^MILLRACE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** The value of `MILLRACE_PORT` as Kubernetes sets it: the setting of that name is a number. */
const serviceLinkPort = /^(?:tcp|udp|sctp):\/\//;

/**
 * Whether Kubernetes set the variable to give pods the address of a service. Like Docker links, these variables are in
 * the environment of every pod in the namespace and do not configure this process.
 */
function isServiceLink(name: string, value = ''): boolean {
  return serviceLinkName.test(name) || (/^MILLRACE_(?:[A-Z0-9_]+_)?PORT$/.test(name) && serviceLinkPort.test(value));
}

/** Reads the environment. @throws ConfigError with a line for each invalid variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as unset: `.env` files and container templates use it to omit values.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' && !isServiceLink(name, value)),
  );
  const parsed = settings.safeParse(given);
  const broken = parsed.error?.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) ?? [];
  const complaints = [...unknownSettings(given), ...broken];
  if (!parsed.success || complaints.length > 0) throw new ConfigError(complaints.join('\n'));
  const values = parsed.data;
  return {
    host: values.MILLRACE_HOST,
    port: values.MILLRACE_PORT,
    publicUrl: values.MILLRACE_PUBLIC_URL ?? null,
    trustProxy: values.MILLRACE_TRUST_PROXY,
    maxBody: values.MILLRACE_MAX_BODY,
    maxWebhookBody: values.MILLRACE_MAX_WEBHOOK_BODY,
    dataDir: values.MILLRACE_DATA_DIR,
    databaseFile: values.MILLRACE_DATABASE_URL?.slice('sqlite:'.length) ?? null,
    apiKey: values.MILLRACE_API_KEY ?? null,
    secretKey: values.MILLRACE_SECRET_KEY ?? null,
    newSecretKey: values.MILLRACE_NEW_SECRET_KEY ?? null,
    egressAllow: values.MILLRACE_EGRESS_ALLOW,
    botApi: values.MILLRACE_CHAT_BOT_API,
    sshKnownHostsFile: values.MILLRACE_SSH_KNOWN_HOSTS ?? null,
    mcpServersFile: values.MILLRACE_MCP_SERVERS ?? null,
    maxSteps: values.MILLRACE_MAX_STEPS,
    maxRunSize: values.MILLRACE_MAX_RUN_BYTES,
    commandsFile: values.MILLRACE_COMMANDS ?? null,
    code: {
      limits: { seconds: values.MILLRACE_CODE_SECONDS, memoryMb: values.MILLRACE_CODE_MEMORY },
      processes: values.MILLRACE_CODE_PROCESSES,
    },
    // Operators write 0 for no limit.
    retentionDays: values.MILLRACE_RETENTION_DAYS || null,
    retentionRuns: values.MILLRACE_RETENTION_RUNS || null,
    retentionMinutes: values.MILLRACE_RETENTION_MINUTES,
    logLevel: values.MILLRACE_LOG_LEVEL,
  };
}

/** A line for each variable that looks like a setting and is unknown: a misspelt one would silently have no effect. */
function unknownSettings(given: Readonly<Record<string, unknown>>): readonly string[] {
  const known = Object.keys(settings.shape);
  return Object.keys(given)
    .filter((name) => name.startsWith('MILLRACE_') && !known.includes(name))
    .map((name) => `${name} is not a setting; the closest one is ${closest(name, known)}`);
}

/** The settings of this process. */
export function configFromEnvironment(): Config {
  return readConfig(process.env);
}
