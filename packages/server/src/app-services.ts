import type { Catalogue, ReadTimetable } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from './ground/clock.ts';
import { slices } from './ground/slices.ts';
import type { Bots } from './secrets/bot-requests.ts';
import type { Vault } from './secrets/keys/vault.ts';
import type { LlmEndpoints } from './secrets/llm-endpoint.ts';
import type { Passwords } from './secrets/password.ts';
import { createWebhookProofs } from './secrets/webhook-proofs.ts';
import { createAcceptance } from './services/acceptance/acceptance.ts';
import { createRejectedStarts } from './services/acceptance/rejected-starts.ts';
import { createResultWaiters } from './services/acceptance/result-waiters.ts';
import { createTriggers } from './services/acceptance/triggers.ts';
import { createAuthentication } from './services/access/authentication.ts';
import { createCollaborators } from './services/access/collaborators.ts';
import { createFirstLogin } from './services/access/first-login.ts';
import { createKeys } from './services/access/keys.ts';
import { createLogins } from './services/access/logins.ts';
import { createReadOnlyLogins } from './services/access/read-only-logins.ts';
import { createSessions } from './services/access/sessions.ts';
import { createUsers } from './services/access/users.ts';
import { createBotService } from './services/bots/bot-service.ts';
import { createCredentialModels, type Probes } from './services/credentials/credential-models.ts';
import { createCredentials } from './services/credentials/credentials.ts';
import { createDsl } from './services/dsl/dsl.ts';
import { createWorkflowTexts } from './services/dsl/workflow-texts.ts';
import { createChannels } from './services/executions/channels.ts';
import { createExecutions } from './services/executions/executions.ts';
import { createLinkMasks } from './services/executions/link-masks.ts';
import { createRecordings } from './services/executions/recordings.ts';
import { createReplays } from './services/executions/replays.ts';
import { createWaitLinks } from './services/executions/wait-links.ts';
import { createWaits } from './services/executions/waits.ts';
import { createNodeTools, type NodeToolsPorts } from './services/mcp/node-tools.ts';
import { createWorkflowTools } from './services/mcp/workflow-tools.ts';
import { createFacts } from './services/memory/facts.ts';
import { createPeople } from './services/memory/people.ts';
import { createExpressionPreviews } from './services/previews/expression-previews.ts';
import { createScheduleLists } from './services/previews/schedule-lists.ts';
import { createSchedulePreviews } from './services/previews/schedule-previews.ts';
import { createPublishing } from './services/publishing/publishing.ts';
import { createChats } from './services/triggers/chats.ts';
import { createErrorHandlers } from './services/triggers/error-handlers.ts';
import { createGitWebhooks } from './services/triggers/git-webhooks.ts';
import { Rates } from './services/triggers/rates.ts';
import { Scheduler } from './services/triggers/scheduler.ts';
import { createSchedules } from './services/triggers/schedules.ts';
import { createSubworkflowStart, createWorkflowInput } from './services/triggers/subworkflow-start.ts';
import { createWebhooks } from './services/triggers/webhooks.ts';
import { checkSchema, createInputSchemas } from './services/validation/input-schema.ts';
import { createRunValidity } from './services/validation/run-validity.ts';
import { createSchemaIssue } from './services/validation/schema-errors.ts';
import { createValidation } from './services/validation/validation.ts';
import { createState } from './services/variables/state.ts';
import { createVariables } from './services/variables/variables.ts';
import { createEdges } from './services/workflows/edges.ts';
import { createGraphOperations } from './services/workflows/graph-operations.ts';
import { createGraphViews } from './services/workflows/graph-views.ts';
import { createGraphs } from './services/workflows/graphs.ts';
import { createModelUsages } from './services/workflows/model-usage.ts';
import { createNodes } from './services/workflows/nodes.ts';
import { createTrash } from './services/workflows/trash.ts';
import { createVersions } from './services/workflows/versions.ts';
import { createWorkflowActivities } from './services/workflows/workflow-activities.ts';
import { createWorkflows } from './services/workflows/workflows.ts';
import type { Store } from './store/store.ts';

/** The dependencies of the services. */
export interface ServicePorts {
  readonly log: Logger;
  readonly store: Store;
  readonly vault: Vault;
  readonly endpoints: LlmEndpoints;
  readonly bots: Bots;
  readonly probes: Probes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly catalogue: Catalogue;
  readonly readTimetable: ReadTimetable;
  /** The public address of this service, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly passwords: Passwords;
  /** The token of the printed setup link; null if no link was printed. */
  readonly setupToken: string | null;
  /** Connects to an MCP server for one use. */
  readonly useServer: NodeToolsPorts['useServer'];
  /** Maximum open runs; beyond it new ones are rejected. */
  readonly maxOpenRuns: number;
}

export type Services = ReturnType<typeof createServices>;

/** Creates every service from the parts it needs. */
export function createServices(ports: ServicePorts) {
  const { store, vault, clock, timers, catalogue, passwords, log, maxOpenRuns, readTimetable } = ports;
  const graphs = createGraphs(store, clock);
  const graphViews = createGraphViews({ store, graphs });
  const inputSchemas = createInputSchemas();
  const running = {
    store,
    clock,
    catalogue,
    graphs,
    resultWaiters: createResultWaiters({ store, timers }),
    triggers: createTriggers(catalogue),
    inputSchemas,
    validity: createRunValidity({ store, graphs, inputSchemas, readTimetable, catalogue }),
    rates: new Rates(clock),
    rejectedStarts: createRejectedStarts({ log, clock, timers }),
    acceptance: createAcceptance({ store, clock, timers, maxOpenRuns }),
    turns: slices,
  };
  const workflowInput = createWorkflowInput(running);
  const workflows = createWorkflows({ store, clock, checkSchema });
  const revoked = (keyId: number): void => authentication.accessChanged([{ kind: 'key', keyId }]);
  const accounts = { users: store.users, keys: createReadOnlyLogins({ store, revoked }) };
  const authentication = createAuthentication({ store: accounts, clock, log });
  store.subscribe({ accessChanged: (changes) => authentication.accessChanged(changes) });
  const logins = createLogins({ store: accounts, clock, passwords });
  const firstLogin = createFirstLogin(accounts, ports.setupToken);
  const versions = createVersions({ store, graphs });
  const validation = createValidation({ ...running, readTimetable });
  const executions = createExecutions(running);
  const waitLinks = createWaitLinks(ports);
  const dsl = createDsl({ ...running, graphViews, workflows, checkSchema, readTimetable });
  return {
    graphs,
    graphViews,
    validity: running.validity,
    rejectedStarts: running.rejectedStarts,
    resultWaiters: running.resultWaiters,
    authentication,
    executions,
    errorHandlers: createErrorHandlers(running),
    channels: createChannels({ store }),
    chats: createChats(running),
    collaborators: createCollaborators({ store, clock }),
    credentialModels: createCredentialModels(ports),
    credentials: createCredentials({ store, clock, vault, log }),
    dsl,
    workflowTexts: createWorkflowTexts({ store, clock, dsl }),
    edges: createEdges(graphs, catalogue),
    expressionPreviews: createExpressionPreviews(running),
    scheduleLists: createScheduleLists({ ...running, readTimetable }),
    schedulePreviews: createSchedulePreviews(ports),
    graphOperations: createGraphOperations({ store, graphs, catalogue }),
    keys: createKeys({ store, clock }),
    firstLogin,
    logins,
    sessions: createSessions({ store: accounts, clock, logins, firstLogin, authentication }),
    nodes: createNodes({ store, graphs, graphViews, catalogue }),
    publishing: createPublishing({ store, versions, validation, clock }),
    recordings: createRecordings({ store }),
    replays: createReplays(running),
    schedules: createSchedules({ store, graphs, clock }),
    scheduler: new Scheduler({ ...ports, ...running }),
    bots: createBotService({ ...running, timers, log, bots: ports.bots, baseUrl: ports.baseUrl }),
    trash: createTrash({ store, clock }),
    users: createUsers({ store, clock, passwords }),
    validation,
    ...createValueServices(ports),
    versions,
    subworkflow: createSubworkflowStart(running),
    workflowInput,
    nodeTools: createNodeTools({ ...ports, schemaIssue: createSchemaIssue(), workflowInput }),
    waitLinks,
    linkMasks: createLinkMasks(running),
    waits: createWaits({ ...running, links: waitLinks }),
    ...createWebhookServices({ ...running, proofs: createWebhookProofs({ store, vault }) }),
    workflows,
    workflowTools: createWorkflowTools(running),
    workflowActivities: createWorkflowActivities({ store, clock }),
    modelUsages: createModelUsages({ store, clock }),
  };
}

/** What workflows read and remember. */
function createValueServices(ports: Pick<ServicePorts, 'store' | 'clock' | 'vault' | 'log'>) {
  return {
    state: createState(ports),
    facts: createFacts(ports),
    people: createPeople(ports),
    variables: createVariables(ports),
  };
}

function createWebhookServices(ports: Parameters<typeof createWebhooks>[0]) {
  const webhooks = createWebhooks(ports);
  return { webhooks, gitWebhooks: createGitWebhooks({ ...ports, webhooks }) };
}
