import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { configFromEnvironment } from '../../src/ground/config.ts';
import { createLog } from '../../src/ground/log.ts';
import { startService } from '../../src/process/start.ts';
import { heapInUse } from '../support/heap.ts';

/** The service as `npm start` runs it. It prints the heap in use, in bytes, for each SIGUSR2. */
const config = configFromEnvironment();
const service = await startService(config, createLog(config.logLevel), { clock: systemClock, timers: systemTimers });
console.log(service.greeting.join('\n'));
process.on('SIGUSR2', () => console.log(`heap ${heapInUse()}`));
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
