import {
  admitsNobody,
  authConflict,
  type CredentialType,
  type GraphWorld,
  type Json,
  type JsonObject,
  type KnownRequest,
  missingCredential,
  own,
  type ReadTimetable,
  readBasicPair,
  readToolAuth,
  StepError,
  toolAuthIssue,
  type Workflow,
} from '@millrace/core';
import { compilePattern } from '../../ground/regex.ts';
import { originsOf } from '../../secrets/tool-secret.ts';
import type { CredentialName } from '../../store/credentials.ts';
import type { Store } from '../../store/store.ts';
import { type CalleePorts, type Checked, findCallees } from './callees.ts';
import { checkSchema } from './input-schema.ts';

/** The dependencies of the checks of graphs. */
export interface WorldPorts extends CalleePorts {
  readonly store: CalleePorts['store'] & Pick<Store, 'credentials' | 'variables' | 'bots'>;
  readonly readTimetable: ReadTimetable;
}

/** A graph to check, with what its workflow is used for. */
export interface CheckedGraph extends Checked {
  readonly workflow: Checked['workflow'] & Pick<Workflow, 'mcp'>;
}

/** The state of this service that the checks of a graph need. */
export async function graphWorld(ports: WorldPorts, checked: CheckedGraph): Promise<GraphWorld> {
  const { store, readTimetable } = ports;
  const named = await store.credentials.named(credentialsIn(checked.nodes));
  const credentials = new Map(named.map((credential) => [credential.id, credential]));
  const toolConfigs = await findToolConfigs(store, checked.nodes, credentials);
  const botIssues = await findBotIssues(store, named);
  return {
    toolIssue: (id, request) => toolIssue(toolConfigs.get(id), request),
    botIssue: (id) => botIssues.get(id) ?? null,
    credentialIssue: (id, wanted) => credentialIssue(credentials.get(id)?.credentialType, wanted),
    signingIssue: (id) => (credentials.get(id)?.hasWebhookSecret === false ? 'has no webhook_secret' : null),
    basicAuthIssue: (id) => basicAuthIssue(credentials.get(id), toolConfigs.get(id)),
    callee: await findCallees(ports, checked),
    variables: await store.variables.visibleTo({ workflowId: checked.workflow.id }),
    isMcpTool: checked.workflow.mcp,
    ...settingIssues(readTimetable),
  };
}

/** The checks of settings that do not depend on stored data. */
export function settingIssues(
  readTimetable: ReadTimetable,
): Pick<GraphWorld, 'scheduleIssue' | 'patternIssue' | 'schemaIssue'> {
  return {
    scheduleIssue: (timing) => scheduleIssue(timing, readTimetable),
    patternIssue,
    schemaIssue: (schema) => checkSchema(schema),
  };
}

/** The ids of the credentials that nodes name, in either field. */
export function credentialsIn(nodes: Checked['nodes']): readonly number[] {
  const ids = nodes.flatMap(({ config }) => [own(config, 'credential_id'), own(config, 'llm_credential_id')]);
  return [...new Set(ids.filter((id) => typeof id === 'number'))];
}

/** The masked configs of the tool credentials that nodes use. */
async function findToolConfigs(
  store: WorldPorts['store'],
  nodes: Checked['nodes'],
  credentials: ReadonlyMap<number, CredentialName>,
): Promise<ReadonlyMap<number, Json>> {
  const named = new Set(nodes.map(({ config }) => Number(own(config, 'credential_id') ?? 0)));
  const ids = [...named].filter((id) => credentials.get(id)?.credentialType === 'tool');
  const found = await Promise.all(ids.map((id) => store.credentials.byId(id)));
  return new Map(
    found.filter((credential) => credential !== null).map(({ id, detail }) => [id, detail.config ?? null]),
  );
}

/** Why bots that nodes name start nothing; those without a reason are left out. */
async function findBotIssues(
  store: WorldPorts['store'],
  named: readonly CredentialName[],
): Promise<ReadonlyMap<number, string>> {
  const ids = named.filter(({ credentialType }) => credentialType === 'chat_bot').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const errors = await store.bots.errors(ids);
  const found = await Promise.all(ids.map((id) => store.credentials.byId(id)));
  return new Map(
    found.flatMap((bot): [number, string][] => {
      if (bot === null) return [];
      const error = errors.get(bot.id);
      if (error !== undefined) return [[bot.id, `receives no messages, because ${error}`]];
      if (!admitsNobody(String(bot.detail.allowed_user_ids ?? ''))) return [];
      return [[bot.id, 'admits nobody, because its allowed_user_ids is empty (* admits everybody)']];
    }),
  );
}

function toolIssue(config: Json | undefined, request: KnownRequest): string | null {
  // It was deleted after its name was read: there is nothing to check.
  if (config === undefined) return null;
  const auth = readToolAuth(config);
  if (auth === null) return toolAuthIssue(config);
  const noHost = auth.allowed_hosts.find((host) => originsOf([host]).length === 0);
  if (noHost !== undefined) return `has '${noHost}' in its allowed_hosts, which is not a host that can be reached`;
  const conflict = authConflict(auth, request);
  if (conflict !== null) return `sets ${conflict}, as the node does itself`;
  const origin = request.address === null ? undefined : URL.parse(request.address)?.origin;
  if (origin === undefined || originsOf(auth.allowed_hosts).includes(origin)) return null;
  return `may not be sent to ${origin}: its allowed_hosts do not contain it`;
}

/** Checks a credential that verifies user names and passwords. A missing one is reported elsewhere. */
function basicAuthIssue(credential: CredentialName | undefined, config: Json | undefined): string | null {
  if (credential === undefined) return null;
  return readBasicPair(config) === null ? "does not have the scheme 'basic', a username and a password" : null;
}

function credentialIssue(type: CredentialType | undefined, wanted: CredentialType | null): string | null {
  if (type === undefined) return missingCredential;
  return wanted === null || type === wanted ? null : `is of type '${type}' and not '${wanted}'`;
}

function scheduleIssue(timing: JsonObject, readTimetable: ReadTimetable): string | null {
  // The config's own check reports an invalid pattern.
  const timetable = readTimetable(timing);
  return timetable === null || timetable.fires() ? null : 'Never fires: no date has this day, month and weekday';
}

function patternIssue(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}
