import { ConfigError, configFromEnvironment } from './config.ts';
import { createLog } from './log.ts';
import { type Service, StartError, startService } from './start.ts';

/** Starts the service and stops it on a signal. Everything else is `start.ts` and `app.ts`. */
async function main(): Promise<void> {
  try {
    const config = configFromEnvironment();
    const log = createLog(config.logLevel);
    const service = await startService(config, log);
    for (const line of service.greeting) console.log(line);
    stopOnSignal(service);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

function stopOnSignal(service: Service): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // A second signal is from somebody who does not want to wait; the journal makes that safe.
    if (stopping) process.exit(1);
    stopping = true;
    console.log(`${signal}: finishing what is under way…`);
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

await main();
