import { type Catalogue, defaultMaxRunSize, defaultMaxSteps, endpointIn } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from './ground/clock.ts';
import { newPlaceholder } from './ground/ids.ts';
import { capture, matches } from './ground/regex.ts';
import { Turns } from './ground/turns.ts';
import type { Hub } from './live/hub.ts';
import { tokenSink } from './live/token-batches.ts';
import type { McpConnections } from './mcp/connections.ts';
import type { AskModel } from './models/model-calls.ts';
import type { OutboundClient } from './outbound/client.ts';
import { createRecordedRuns } from './recordings/recorded-runs.ts';
import { Budgets } from './runner/budgets.ts';
import type { RunnerPorts } from './runner/ports.ts';
import { Runner } from './runner/runner.ts';
import { noWorkRecord, type WorkRecord } from './runner/work-record.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { SendBotRequest } from './secrets/bot-requests.ts';
import type { PerformGit } from './secrets/git-calls.ts';
import type { SendToolRequest } from './secrets/tool-requests.ts';
import { createSchemaIssue } from './services/validation/schema-errors.ts';
import type { Store } from './store/store.ts';

/** What the runner needs of the services. */
export interface RunnerServices {
  readonly validity: RunnerPorts['validity'];
  readonly errorHandlers: { readonly startFor: RunnerPorts['errorHandler'] };
  readonly subworkflow: RunnerPorts['subworkflow'];
  readonly workflowInput: RunnerPorts['workflowInput'];
  readonly waitLinks: RunnerPorts['links'];
  readonly resultWaiters: Pick<RunnerPorts, 'isAwaited'>;
}

/** The dependencies of a runner. */
export interface RunnerParts {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info' | 'debug'>;
  readonly outbound: Pick<OutboundClient, 'send'>;
  readonly toolRequest: SendToolRequest;
  readonly botRequest: SendBotRequest;
  readonly performGit: PerformGit;
  readonly askModel: AskModel;
  readonly mcp: Pick<McpConnections, 'open' | 'leave'>;
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly hub: Hub;
  readonly platform: RunnerPorts['platform'];
  readonly runCommand: RunnerPorts['runCommand'];
  readonly services: RunnerServices;
  /** Maximum step attempts of one run. */
  readonly maxSteps?: number;
  /** Maximum characters of JSON that the steps of a run may output. */
  readonly maxRunSize?: number;
  /** Records which run has the event loop. Default: nothing. */
  readonly work?: WorkRecord;
  /** Names the process in leases. */
  readonly owner: string;
}

/** Wires a runner. Tests that replace its store or its clock call this too, so there is no other wiring. */
export function createRunner(parts: RunnerParts): Runner {
  const { store, timers, services, hub } = parts;
  return new Runner({
    store,
    catalogue: parts.catalogue,
    clock: parts.clock,
    timers,
    random: parts.random,
    recorded: createRecordedRuns(store.recordings),
    http: parts.outbound.send,
    toolRequest: parts.toolRequest,
    botRequest: parts.botRequest,
    git: parts.performGit,
    endpointOf: async (id) => endpointIn((await store.credentials.byId(id))?.detail.config ?? null),
    placeholder: newPlaceholder,
    askModel: parts.askModel,
    budgets: new Budgets({
      budgetOf: store.workflows.budgetOf,
      spentSince: store.usage.spentSince,
      clock: parts.clock,
    }),
    tokens: (speaker) => tokenSink(hub, timers, speaker),
    runScript: parts.sandbox.run,
    mcp: parts.mcp,
    patterns: { matches, capture },
    turns: new Turns(parts),
    work: parts.work ?? noWorkRecord,
    schemaIssue: createSchemaIssue(),
    log: parts.log,
    validity: services.validity,
    errorHandler: services.errorHandlers.startFor,
    subworkflow: services.subworkflow,
    workflowInput: services.workflowInput,
    platform: parts.platform,
    runCommand: parts.runCommand,
    conversation: store.chats,
    memory: store.memory,
    links: services.waitLinks,
    isAwaited: services.resultWaiters.isAwaited,
    maxSteps: parts.maxSteps ?? defaultMaxSteps,
    maxRunSize: parts.maxRunSize ?? defaultMaxRunSize,
    owner: parts.owner,
  });
}
