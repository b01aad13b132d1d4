import { Session } from 'node:inspector/promises';

/** Collects all garbage of this process, and returns the free memory to the system at once. */
export async function collectAll(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
