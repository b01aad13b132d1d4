import type { GraphIssue, SlicedWork } from '@millrace/core';
import type { RunnerParts, RunnerServices } from '../../src/app-runner.ts';
import { Hub } from '../../src/live/hub.ts';
import { closedOutbound } from './closed-outbound.ts';

const idle = (what: string) => () => Promise.reject(new Error(`no step of these tests ${what}`));

/** Parts of a runner whose steps use nothing outside. */
export const idleParts = {
  outbound: closedOutbound,
  toolRequest: idle('sends with a credential'),
  botRequest: idle('sends through a bot'),
  performGit: idle('uses a repository'),
  askModel: idle('asks a model'),
  platform: idle('calls the service'),
  runCommand: idle('runs a program'),
  sandbox: { run: idle('runs code') },
  mcp: {
    open: () => ({ tools: idle('uses an MCP server'), call: idle('uses an MCP server') }),
    leave: () => undefined,
  },
  hub: new Hub({ now: () => 0, monotonic: () => 0 }),
  log: { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined },
} as const satisfies Partial<RunnerParts>;

function* noErrors(): SlicedWork<readonly GraphIssue[]> {
  yield;
  return [];
}

/**
 * Replaces the services in tests with their own components. These have no config schemas, so the real checks would
 * reject every graph.
 */
export const idleServices: RunnerServices = {
  validity: { errorsIn: noErrors, dependsOnOthers: () => false, outerErrors: async () => [] },
  errorHandlers: { startFor: async () => null },
  subworkflow: idle('starts another workflow'),
  workflowInput: idle('reads another workflow'),
  waitLinks: { callbackHash: () => 'hash', outputsOf: () => ({}) },
  resultWaiters: { isAwaited: () => false },
};
