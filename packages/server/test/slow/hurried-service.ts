import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { configFromEnvironment } from '../../src/ground/config.ts';
import { createLog } from '../../src/ground/log.ts';
import { startService } from '../../src/process/start.ts';

/** The service as `npm start` runs it, with all timeouts divided by `haste`: 30 s become 30 s / haste. */
const haste = Number(process.argv[2] ?? 1);
/** Milliseconds by which its clock is ahead of the machine's. */
const aheadMs = Number(process.argv[3] ?? 0);

const config = configFromEnvironment();
const service = await startService(config, createLog(config.logLevel), {
  clock: { now: () => systemClock.now() + aheadMs, monotonic: () => systemClock.monotonic() * haste },
  timers: { ...systemTimers, after: (ms, fn) => systemTimers.after(ms / haste, fn) },
  timeouts: {
    headersTimeout: 10_000 / haste,
    requestTimeout: 30_000 / haste,
    connectionsCheckingInterval: 2000 / haste,
    keepAliveTimeout: 5000,
  },
});
console.log(service.greeting.join('\n'));
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
