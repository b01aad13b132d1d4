import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** The service's log: JSON lines on standard error. Standard output is for messages to people. */
export function createLog(level: Config['logLevel']): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: false }),
  );
}
