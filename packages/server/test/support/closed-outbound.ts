import { StepError } from '@millrace/core';
import type { OutboundClient } from '../../src/outbound/client.ts';

const rejectAll = (): Promise<never> => Promise.reject(new StepError('http_blocked', 'This test sends nothing.'));

/** A way out that lets nothing out, whatever a test stores as an address. */
export const closedOutbound: OutboundClient = { send: rejectAll, sendSecret: rejectAll, close: async () => undefined };
