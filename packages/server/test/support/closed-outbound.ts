import { StepError } from '@millrace/core';
import type { OutboundClient } from '../../src/outbound/client.ts';

const rejectAll = (): Promise<never> => Promise.reject(new StepError('http_blocked', 'This test sends nothing.'));

/** An outbound client that sends nothing, whatever address a test stores. */
export const closedOutbound: OutboundClient = { send: rejectAll, sendSecret: rejectAll, close: async () => undefined };
