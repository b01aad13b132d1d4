import { configFromEnvironment } from '../../../src/ground/config.ts';
import { createLog } from '../../../src/ground/log.ts';
import { startService } from '../../../src/process/start.ts';
import { usualLogLimits } from '../../../src/store/sql/database/log/log-limits.ts';

/** The service with a log that is smaller by a factor, so that a burst of a second passes its bounds on a slow disk. */
const factor = Number(process.env.LOG_FACTOR ?? 1);
const { due, wait, reject, full } = usualLogLimits;
const logLimits = { due: due / factor, wait: wait / factor, reject: reject / factor, full: full / factor };
const settings = configFromEnvironment();
const service = await startService(settings, createLog(settings.logLevel), { logLimits });
console.log(service.greeting.join('\n'));
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
