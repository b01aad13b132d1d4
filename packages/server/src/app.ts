import { catalogue as ownCatalogue, scheduleTimetable } from '@millrace/components';
import type { Catalogue, User } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createRunner } from './app-runner.ts';
import { createServices, type Services } from './app-services.ts';
import { createCommands, type RunCommand } from './commands/commands.ts';
import { createGit, forgetEnded, type Git } from './git/git.ts';
import { type Clock, systemTimers, type Timers } from './ground/clock.ts';
import { type CodeSettings, defaultBodyBytes, defaultCode } from './ground/config.ts';
import { version } from './ground/version.ts';
import { HostCookie } from './http/handling/host-cookie.ts';
import { SessionCookie } from './http/handling/session-cookie.ts';
import { addMcp } from './http/mcp/mcp.ts';
import { addOpenapi } from './http/openapi/openapi.ts';
import { createOwnApi } from './http/own-api/own-api.ts';
import { Passes } from './http/own-api/passes.ts';
import { addAuthentication, socketAuthentication } from './http/plumbing/authentication.ts';
import { createFailedAuths, type FailedAuths } from './http/plumbing/failed-auth.ts';
import { isHttps, isLoopback, isOwnPage, type Site, siteOf } from './http/plumbing/origin.ts';
import { PasswordGuesses } from './http/plumbing/password-guesses.ts';
import { QueryKeys } from './http/plumbing/query-keys.ts';
import type { RouteRecord } from './http/plumbing/route-record.ts';
import { buildServer, type Timeouts } from './http/plumbing/server.ts';
import { addShownLinks } from './http/plumbing/shown-links.ts';
import { workflowAccess } from './http/plumbing/workflow-access.ts';
import { addCollaborators } from './http/routes/access/collaborators.ts';
import { addKeys } from './http/routes/access/keys.ts';
import { addLogins } from './http/routes/access/logins.ts';
import { addSessions } from './http/routes/access/sessions.ts';
import { addUsers } from './http/routes/access/users.ts';
import { addCredentialModels } from './http/routes/credentials/credential-models.ts';
import { addCredentials } from './http/routes/credentials/credentials.ts';
import { addCassettes } from './http/routes/executions/cassettes.ts';
import { addChats } from './http/routes/executions/chats.ts';
import { addExecutions } from './http/routes/executions/executions.ts';
import { addReplays } from './http/routes/executions/replays.ts';
import { addFacts } from './http/routes/memory/facts.ts';
import { addPeople } from './http/routes/memory/people.ts';
import { addComponentReference } from './http/routes/service/component-reference.ts';
import { addHealth } from './http/routes/service/health.ts';
import { addPages } from './http/routes/service/pages.ts';
import { addState } from './http/routes/variables/state.ts';
import { addVariables } from './http/routes/variables/variables.ts';
import { addDsl } from './http/routes/workflows/dsl.ts';
import { addEdges } from './http/routes/workflows/edges.ts';
import { addExpressions } from './http/routes/workflows/expressions.ts';
import { addGraph } from './http/routes/workflows/graph.ts';
import { addNodeTools } from './http/routes/workflows/node-tools.ts';
import { addNodeTypes } from './http/routes/workflows/node-types.ts';
import { addNodes } from './http/routes/workflows/nodes.ts';
import { addPublishing } from './http/routes/workflows/publishing.ts';
import { addSchedules } from './http/routes/workflows/schedules.ts';
import { addTexts } from './http/routes/workflows/texts.ts';
import { addTrash } from './http/routes/workflows/trash.ts';
import { addUsage } from './http/routes/workflows/usage.ts';
import { addValidation } from './http/routes/workflows/validation.ts';
import { addVersions } from './http/routes/workflows/versions.ts';
import { addWorkflowActivity } from './http/routes/workflows/workflow-activity.ts';
import { addWorkflows } from './http/routes/workflows/workflows.ts';
import { addBotUpdates } from './http/webhooks/bot-updates.ts';
import { addWaitLinks } from './http/webhooks/wait-links.ts';
import { addWebhooks } from './http/webhooks/webhooks.ts';
import { Hub } from './live/hub.ts';
import { RunFollowers } from './live/run-followers.ts';
import { addWebSocket } from './live/websocket.ts';
import { createMcpConnections, type McpConnections } from './mcp/connections.ts';
import type { McpPrograms } from './mcp/programs.ts';
import { createSingleUse } from './mcp/single-use.ts';
import { type AskModel, createAskModel } from './models/model-calls.ts';
import { createProbes } from './models/probes.ts';
import type { AddressPolicy } from './outbound/address-policy.ts';
import { createCheckedAddress } from './outbound/checked-address.ts';
import { createOutboundClient, type OutboundClient } from './outbound/client.ts';
import type { EgressAllow } from './outbound/egress-allow.ts';
import type { Runner } from './runner/runner.ts';
import type { WorkRecord } from './runner/work-record.ts';
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { createBots, type SendBotRequest } from './secrets/bot-requests.ts';
import { createGitCalls, type PerformGit } from './secrets/git-calls.ts';
import type { Vault } from './secrets/keys/vault.ts';
import type { LlmEndpoints } from './secrets/llm-endpoint.ts';
import { createLlmEndpoints } from './secrets/llm-endpoints.ts';
import { createPasswords, type Passwords } from './secrets/password.ts';
import { createToolRequests, type SendToolRequest } from './secrets/tool-requests.ts';
import { loadWritableWorkflow } from './services/access/access.ts';
import { createKnownDevices } from './services/access/known-devices.ts';
import { LoginGuard } from './services/access/login-guard.ts';
import type { BotService } from './services/bots/bot-service.ts';
import type { Scheduler } from './services/triggers/scheduler.ts';
import { createSchemaIssue } from './services/validation/schema-errors.ts';
import type { Store } from './store/store.ts';

/** The dependencies of an app. */
export interface AppPorts {
  /**
   * The address to listen on. On a loopback address, outbound requests may reach private addresses, and requests with
   * another host name are rejected.
   */
  readonly host: string;
  readonly log: Logger;
  readonly store: Store;
  /** Encrypts and decrypts the stored secrets. */
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly catalogue?: Catalogue;
  readonly passwords?: Passwords;
  readonly maxOpenRuns?: number;
  /** The public address of the service, if it differs from the one it listens on. */
  readonly publicUrl?: string | null;
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy?: readonly string[];
  /** Maximum step attempts of one run. */
  readonly maxSteps?: number;
  /** The maximum size of the outputs of a run's steps, in characters of JSON. */
  readonly maxRunSize?: number;
  /** Private addresses that outbound requests may reach. */
  readonly egressAllow?: EgressAllow;
  /** The operator's file with the keys of ssh servers. Default: addresses of ssh cannot be used. */
  readonly sshKnownHosts?: string | null;
  /** Maximum bytes of an API body and of a webhook body. */
  readonly maxBody?: number;
  readonly maxWebhookBody?: number;
  readonly timeouts?: Timeouts;
  /** The token of the setup link, if the start prints one. Default: nobody can log in with a link. */
  readonly setupToken?: string | null;
  /** Whether the start is complete, so that every API key works. Default: always. */
  readonly isReady?: () => boolean;
  /** The limits of user code, and how much of it runs at the same time. */
  readonly code?: CodeSettings;
  /** The outbound client. Default: one that follows `host` and `egressAllow`. */
  readonly outbound?: OutboundClient;
  /** Decrypts LLM credentials. Default: those in the store, through `vault` and `outbound`. */
  readonly endpoints?: LlmEndpoints;
  /** Sends requests with credentials. Default: through `outbound`, with the secret. */
  readonly toolRequest?: SendToolRequest;
  /** Works with git repositories. Default: the program git, with the credential. */
  readonly performGit?: PerformGit;
  /** Sends calls of the Bot API with the token of a bot. Default: through `outbound`. */
  readonly botRequest?: SendBotRequest;
  /** The address of the Bot API, without a trailing slash. */
  readonly botApi?: string;
  /** Calls models. Default: their providers, with the stored credentials. */
  readonly askModel?: AskModel;
  /** Programs that are MCP servers. Default: none. */
  readonly mcpPrograms?: McpPrograms;
  /** Connects to MCP servers. Default: through the client of the step. */
  readonly mcp?: McpConnections;
  /** Runs programs of the operator's list. Default: none is allowed. */
  readonly runCommand?: RunCommand;
  /** Runs user code. Default: separate processes. */
  readonly sandbox?: Sandbox;
  /** Names the process in leases. Default: its id and the time. */
  readonly owner?: string;
  /** Records which run has the event loop. Default: nothing. */
  readonly work?: WorkRecord;
  /** Records which route has the event loop. Default: nothing. */
  readonly routeRecord?: RouteRecord;
}

/** The service without its process: a server that does not listen yet, and a runner that has not started. */
export interface App {
  readonly server: FastifyInstance;
  /** The use cases behind the endpoints, for callers in this process. */
  readonly services: Services;
  readonly runner: Runner;
  /** Starts runs at scheduled times; not started yet. */
  readonly scheduler: Scheduler;
  /** Receives the messages of bots and sends the answers; not started yet. */
  readonly bots: BotService;
  /** Responds to every caller that waits for a run's result that the run continues. */
  endWaits(): void;
  /** Releases the app's resources after its server is closed and its runner stopped. The caller owns the store. */
  close(): Promise<void>;
}

/** The maximum number of pending and running runs: a few minutes of work for one process, and little data to store. */
const defaultMaxOpenRuns = 100_000;

/** Creates the parts of the service and connects them. */
export function createApp(ports: AppPorts): App {
  const { host, clock } = ports;
  const catalogue = ports.catalogue ?? ownCatalogue;
  const site = siteOf(host, ports.publicUrl ?? null);
  const failedAuths = createFailedAuths(clock);
  const hub = new Hub(clock);
  ports.store.subscribe({ published: (events) => hub.publish(events) });
  const queryKeys = new QueryKeys(ports.log);
  const passes = new Passes();
  const sessionCookie = new SessionCookie(isHttps(site), clock);
  const guesses = guessesOf(ports, site);
  const outbound = ports.outbound ?? outboundOf(ports, () => portOf(server));
  const endpoints = ports.endpoints ?? createLlmEndpoints({ store: ports.store, vault: ports.vault, outbound });
  const git = gitOf(ports, () => portOf(server));
  const bots = createBots({ ...ports, outbound });
  // The sandbox's processes run in real time, so they use system timers even if the app uses a virtual clock.
  const sandbox =
    ports.sandbox ?? createSandbox({ ...(ports.code ?? defaultCode), timers: systemTimers, log: ports.log });
  const mcp =
    ports.mcp ??
    createMcpConnections({ ...ports, schemaIssue: createSchemaIssue(), programs: ports.mcpPrograms ?? new Map() });
  const toolRequest = ports.toolRequest ?? createToolRequests({ ...ports, outbound });
  const maxOpenRuns = ports.maxOpenRuns ?? defaultMaxOpenRuns;
  const services = createServices({
    ...ports,
    catalogue,
    readTimetable: scheduleTimetable,
    passwords: ports.passwords ?? createPasswords(),
    setupToken: ports.setupToken ?? null,
    endpoints,
    bots,
    probes: createProbes(ports),
    useServer: createSingleUse({ ...ports, connections: mcp, http: outbound.send, toolRequest }),
    maxOpenRuns,
    baseUrl: () => ports.publicUrl ?? `http://${host}:${portOf(server) ?? 0}`,
  });
  const server = buildServer({
    log: ports.log,
    version,
    catalogue,
    maxBody: ports.maxBody ?? defaultBodyBytes.api,
    timers: ports.timers,
    ...(ports.routeRecord && { routeRecord: ports.routeRecord }),
    ...(ports.timeouts && { timeouts: ports.timeouts }),
    ...(ports.trustProxy && { trustProxy: ports.trustProxy }),
    site,
    authenticate: (app) => {
      addAuthentication(app, { ...services, failedAuths, queryKeys, sessionCookie, site, passes });
      addShownLinks(app, services.linkMasks);
    },
    routes: async (app) => {
      addResources(app, { store: ports.store, catalogue, services, isReady: ports.isReady ?? (() => true) });
      await addUsersAndExecutions(app, ports, {
        ...services,
        failedAuths,
        guesses,
        queryKeys,
        sessionCookie,
        hub,
        site,
      });
    },
  });
  return {
    server,
    services,
    runner: createRunner({
      ...ports,
      catalogue,
      outbound,
      toolRequest,
      botRequest: ports.botRequest ?? bots.send,
      performGit: ports.performGit ?? createGitCalls({ ...ports, git }),
      runCommand: ports.runCommand ?? createCommands(new Map()),
      askModel: ports.askModel ?? createAskModel({ endpoints, clock }),
      sandbox,
      mcp,
      hub,
      platform: createOwnApi({ ownerOf: ownerIn(ports.store), passes, server: () => server }),
      services,
      owner: ports.owner ?? `${process.pid}@${clock.now()}`,
    }),
    scheduler: services.scheduler,
    bots: services.bots,
    endWaits: () => services.resultWaiters.close(),
    close: () => closeParts({ services, sandbox, mcp, outbound, git }),
  };
}

interface ClosedParts {
  readonly services: Pick<Services, 'resultWaiters' | 'rejectedStarts'>;
  readonly sandbox: Pick<Sandbox, 'close'>;
  readonly mcp: McpConnections;
  readonly outbound: OutboundClient;
  readonly git: Git;
}

async function closeParts({ services, sandbox, mcp, outbound, git }: ClosedParts): Promise<void> {
  services.resultWaiters.close();
  services.rejectedStarts.close();
  sandbox.close();
  // They end their sessions through the client.
  await mcp.close();
  await outbound.close();
  await git.close();
}

/** A client that follows the settings of the service. */
function outboundOf(ports: AppPorts, ownPort: () => number | null): OutboundClient {
  return createOutboundClient(policyOf(ports, ownPort));
}

function policyOf({ host, egressAllow }: AppPorts, ownPort: () => number | null): AddressPolicy {
  return { allowPrivate: isLoopback(host), ...(egressAllow && { allow: egressAllow }), ownPort };
}

/** Repositories of steps, whose copies are deleted when their runs end. */
function gitOf(ports: AppPorts, ownPort: () => number | null): Git {
  const addressOf = createCheckedAddress(policyOf(ports, ownPort));
  const git = createGit({ addressOf, knownHosts: ports.sshKnownHosts ?? null });
  ports.store.subscribe({ published: (events) => forgetEnded(git, events) });
  return git;
}

/** The limits of guesses at passwords, from devices that are known and from others. */
function guessesOf({ vault, clock }: AppPorts, site: Site): PasswordGuesses {
  return new PasswordGuesses({
    guard: new LoginGuard(clock),
    devices: createKnownDevices(vault, clock),
    deviceCookie: new HostCookie({ name: 'millrace_device', isSecure: isHttps(site) }),
  });
}

interface Resources {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly services: Services;
  readonly isReady: () => boolean;
}

/** Routes of stored objects and of the catalogue. */
function addResources(app: FastifyInstance, { store, catalogue, services, isReady }: Resources): void {
  const access = workflowAccess(store);
  addWorkflows(app, { ...services, access });
  addWorkflowActivity(app, services);
  addNodes(app, { ...services, access });
  addNodeTools(app, { ...services, access });
  addEdges(app, { ...services, access });
  addCollaborators(app, { ...services, access });
  addGraph(app, { ...services, access });
  addVersions(app, { ...services, access });
  addPublishing(app, { ...services, access });
  addTrash(app, services);
  addCredentials(app, services.credentials);
  addCredentialModels(app, services.credentialModels);
  addVariables(app, { ...services, access });
  addState(app, { ...services, access });
  addFacts(app, services);
  addPeople(app, services);
  addUsage(app, { ...services, access });
  addValidation(app, { ...services, access });
  addDsl(app, { ...services, access });
  addTexts(app, { ...services, access });
  addExpressions(app, { ...services, access });
  addSchedules(app, services);
  addNodeTypes(app, catalogue);
  addHealth(app, { version, ping: () => store.ping(), isReady });
  addOpenapi(app);
  addComponentReference(app, catalogue);
  addPages(app);
}

interface RouteParts extends Services {
  readonly failedAuths: FailedAuths;
  readonly guesses: PasswordGuesses;
  readonly queryKeys: QueryKeys;
  readonly sessionCookie: SessionCookie;
  readonly hub: Hub;
  readonly site: Site;
}

/** Adds the routes of users and API keys, of executions, and of their events. */
async function addUsersAndExecutions(app: FastifyInstance, ports: AppPorts, services: RouteParts): Promise<void> {
  const { store, clock, timers } = ports;
  const { channels, executions } = services;
  addUsers(app, services);
  addLogins(app, services);
  addSessions(app, services);
  addKeys(app, services);
  addExecutions(app, {
    executions,
    waits: services.waits,
    loadRunnable: ({ user }, slug) => loadWritableWorkflow(store, user, slug),
  });
  addCassettes(app, services);
  addReplays(app, services.replays);
  addMcp(app, { workflowTools: services.workflowTools, version });
  const onAccessChanged = (callback: () => void): void => void store.subscribe({ accessChanged: callback });
  const sockets = socketAuthentication(services);
  addChats(app, {
    chats: services.chats,
    access: workflowAccess(store),
    followers: new RunFollowers({ hub: services.hub, mayStillRead: channels.mayStillRead, onAccessChanged }),
    timers,
    principalOf: sockets.ofCaller,
  });
  await addWaitLinks(app, { waits: services.waits, maxBody: ports.maxWebhookBody ?? defaultBodyBytes.webhook });
  await addBotUpdates(app, services);
  await addWebhooks(app, { ...services, maxBody: ports.maxWebhookBody ?? defaultBodyBytes.webhook });
  await addWebSocket(app, {
    hub: services.hub,
    clock,
    timers,
    isOwnPage: (request) => isOwnPage(services.site, request),
    resolveChannel: channels.resolve,
    mayStillRead: channels.mayStillRead,
    onAccessChanged,
    ...sockets,
  });
}

/** Finds the owner of a workflow, and whether others may edit it. */
function ownerIn({ workflows, users, collaborators }: Store) {
  return async (id: number): Promise<{ readonly user: User; readonly hasEditors: boolean } | null> => {
    const workflow = await workflows.byId(id);
    const user = workflow === null ? null : await users.byId(workflow.ownerId);
    if (user === null) return null;
    const others = await collaborators.listOf(id);
    return { user, hasEditors: others.some(({ role }) => role === 'editor') };
  };
}

function portOf(server: FastifyInstance): number | null {
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}
