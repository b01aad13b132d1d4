import type { Catalogue, ReadTimetable } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from './clock.ts';
import type { LlmEndpoints } from './secrets/llm-endpoint.ts';
import type { Passwords } from './secrets/password.ts';
import type { Vault } from './secrets/vault.ts';
import { createWebhookSignatures } from './secrets/webhook-signatures.ts';
import { createAcceptance } from './services/acceptance.ts';
import { createAnswers } from './services/answers.ts';
import { createAuthentication } from './services/authentication.ts';
import { createChannels } from './services/channels.ts';
import { createChats } from './services/chats.ts';
import { createCollaborators } from './services/collaborators.ts';
import { createCredentialModels, type Probes } from './services/credential-models.ts';
import { createCredentials } from './services/credentials.ts';
import { createDsl } from './services/dsl.ts';
import { createEdges } from './services/edges.ts';
import { createErrorHandlers } from './services/error-handlers.ts';
import { createExecutions } from './services/executions.ts';
import { createGraphOperations } from './services/graph-operations.ts';
import { createGraphs } from './services/graphs.ts';
import { checkSchema, createInputSchemas } from './services/input-schema.ts';
import { createKeys } from './services/keys.ts';
import { createLogins } from './services/logins.ts';
import { createNodes } from './services/nodes.ts';
import { Rates } from './services/rates.ts';
import { createReplays } from './services/replays.ts';
import { Scheduler } from './services/scheduler.ts';
import { createSchedules } from './services/schedules.ts';
import { createSubworkflowStart } from './services/subworkflow-start.ts';
import { createTrash } from './services/trash.ts';
import { createTriggers } from './services/triggers.ts';
import { createUsers } from './services/users.ts';
import { createValidation } from './services/validation.ts';
import { createVersions } from './services/versions.ts';
import { createWaitLinks } from './services/wait-links.ts';
import { createWaits } from './services/waits.ts';
import { createWebhooks } from './services/webhooks.ts';
import { createWorkflows } from './services/workflows.ts';
import type { Store } from './store/store.ts';

/** What the services stand on. */
export interface ServicePorts {
  readonly log: Logger;
  readonly store: Store;
  readonly vault: Vault;
  readonly endpoints: LlmEndpoints;
  readonly probes: Probes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly catalogue: Catalogue;
  readonly readTimetable: ReadTimetable;
  /** Where people and machines reach this service, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly passwords: Passwords;
  /** How many runs may be open before new ones are refused. */
  readonly maxOpenRuns: number;
}

export type Services = ReturnType<typeof createServices>;

/** Makes every service, each from the parts it needs. */
export function createServices(ports: ServicePorts) {
  const { store, vault, clock, timers, catalogue, passwords, log, maxOpenRuns, readTimetable } = ports;
  const graphs = createGraphs(store, clock);
  const running = {
    store,
    clock,
    catalogue,
    graphs,
    answers: createAnswers({ store, timers }),
    triggers: createTriggers(catalogue),
    inputSchemas: createInputSchemas(),
    rates: new Rates(clock),
    acceptance: createAcceptance({ store, clock, maxOpenRuns }),
  };
  const workflows = createWorkflows({ store, clock, checkSchema });
  const authentication = createAuthentication({ store, clock, log });
  store.subscribe({ accessChanged: (changes) => authentication.accessChanged(changes) });
  const executions = createExecutions(running);
  const waitLinks = createWaitLinks(ports);
  return {
    graphs,
    answers: running.answers,
    authentication,
    executions,
    errorHandlers: createErrorHandlers(running),
    channels: createChannels({ store, executions }),
    chats: createChats(running),
    collaborators: createCollaborators({ store, clock }),
    credentialModels: createCredentialModels(ports),
    credentials: createCredentials({ store, clock, vault, log }),
    dsl: createDsl({ ...running, workflows, checkSchema, readTimetable }),
    edges: createEdges(graphs, catalogue),
    graphOperations: createGraphOperations({ store, graphs, catalogue }),
    keys: createKeys({ store, clock }),
    logins: createLogins({ store, clock, passwords }),
    nodes: createNodes({ store, graphs, catalogue }),
    replays: createReplays(running),
    schedules: createSchedules({ store, clock }),
    scheduler: new Scheduler({ ...ports, ...running }),
    trash: createTrash({ store, clock }),
    users: createUsers({ store, clock, passwords }),
    validation: createValidation({ ...running, readTimetable }),
    versions: createVersions({ store, graphs }),
    subworkflow: createSubworkflowStart(running),
    waitLinks,
    waits: createWaits({ ...running, links: waitLinks }),
    webhooks: createWebhooks({ ...running, signatures: createWebhookSignatures({ store, vault }) }),
    workflows,
  };
}
