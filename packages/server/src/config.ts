import { z } from 'zod';

/** Everything the operator may set, read once. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** The database file; null for the default one in the data directory. */
  readonly databaseFile: string | null;
  /** The admin's key, if the operator gives one; else it is made at the first start. */
  readonly apiKey: string | null;
  /** What the key of the stored secrets is made from; null for one in a file beside the database. */
  readonly secretKey: string | null;
  /** The key that `rotate-key` is to change to, where the operator gives keys. */
  readonly newSecretKey: string | null;
  /** Addresses, networks and host names that requests may go to although they are private. */
  readonly egressAllow: readonly string[];
  readonly logLevel: LogLevel;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** A setting that cannot be used. Its message is one line that names the variable and says what it takes. */
export class ConfigError extends Error {}

const port = z.coerce
  .number('must be a number from 0 to 65535')
  .int('must be a whole number')
  .min(0, 'must be from 0 to 65535')
  .max(65_535, 'must be from 0 to 65535');

const secretKey = z.string().min(32, 'must have at least 32 characters');

/** What is between commas. */
function list(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const settings = z.object({
  MILLRACE_HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  MILLRACE_PORT: port.default(7411),
  MILLRACE_DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  MILLRACE_API_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]{8,200}$/,
      'must be 8 to 200 visible ASCII characters; better, a key like those the service makes',
    )
    .optional(),
  MILLRACE_SECRET_KEY: secretKey.optional(),
  MILLRACE_NEW_SECRET_KEY: secretKey.optional(),
  MILLRACE_EGRESS_ALLOW: z.string().default('').transform(list),
  MILLRACE_DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:<file>; other databases are not supported yet')
    .optional(),
  MILLRACE_LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/**
 * Reads the environment.
 * @throws ConfigError with a line for each variable that cannot be used
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable is an unset one: that is how `.env` files and container templates leave things out.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('\n'));
  }
  const values = parsed.data;
  return {
    host: values.MILLRACE_HOST,
    port: values.MILLRACE_PORT,
    dataDir: values.MILLRACE_DATA_DIR,
    databaseFile: values.MILLRACE_DATABASE_URL?.slice('sqlite:'.length) ?? null,
    apiKey: values.MILLRACE_API_KEY ?? null,
    secretKey: values.MILLRACE_SECRET_KEY ?? null,
    newSecretKey: values.MILLRACE_NEW_SECRET_KEY ?? null,
    egressAllow: values.MILLRACE_EGRESS_ALLOW,
    logLevel: values.MILLRACE_LOG_LEVEL,
  };
}

/** The settings of this process. */
export function configFromEnvironment(): Config {
  return readConfig(process.env);
}
