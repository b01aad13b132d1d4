import { systemTimers } from '../../src/ground/clock.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { WholeApp } from './whole-app.ts';

/** The service in real time, whose steps may send requests to servers on this machine. */
export function startLocalApp(reach: { readonly sshKnownHosts?: string } = {}): Promise<WholeApp> {
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  return WholeApp.start(systemTimers, { host: '127.0.0.1', outbound, ...reach });
}
