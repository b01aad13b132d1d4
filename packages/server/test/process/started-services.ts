import { ServiceProcess } from '../durable/service-process.ts';

/** The service processes of one test. */
export class StartedServices {
  readonly #services: ServiceProcess[] = [];

  async start(dataDir: string, environment: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(dataDir, environment);
    this.#services.push(service);
    return service;
  }

  /** The error output of a start that fails, with the exit code. */
  async complaint(dataDir: string, environment: Record<string, string> = {}): Promise<string> {
    return this.start(dataDir, environment).then(
      () => 'it started',
      (error: Error) => error.message,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#services.splice(0).map((service) => service.stop()));
  }
}
