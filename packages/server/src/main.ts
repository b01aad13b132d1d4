import { Problem } from '@millrace/core';
import { ConfigError, configFromEnvironment } from './ground/config.ts';
import { createLog } from './ground/log.ts';
import { startService } from './process/start.ts';
import { StartError } from './process/start-error.ts';

/** Starts the service and stops it on a signal. Everything else is in `start.ts` and `app.ts`. */
async function main(): Promise<void> {
  const stopping = onSignal();
  try {
    const config = configFromEnvironment();
    const service = await startService(config, createLog(config.logLevel));
    console.log(service.greeting.join('\n'));
    console.log(`${await stopping}: finishing work in progress…`);
    await service.stop();
    process.exit(0);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartError || error instanceof Problem)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** A supervisor may signal both npm and this process, and npm forwards it: one request that arrives twice. */
const sameWishMs = 1000;

/**
 * Resolves with the first stop signal. It listens from the start, so that an early signal is not lost. A later signal
 * means that somebody does not want to wait: it ends the process at once, which the journal makes safe.
 */
function onSignal(): Promise<NodeJS.Signals> {
  let firstAt: number | null = null;
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameWishMs) process.exit(1);
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

await main();
