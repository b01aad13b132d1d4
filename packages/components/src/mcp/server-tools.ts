import {
  type Effect,
  type Json,
  type ListedTool,
  type ListingNode,
  listed,
  type McpServer,
  type McpTool,
  StepError,
  type ToolList,
  type ToolLister,
} from '@millrace/core';
import type { McpClientConfig } from './mcp-config.ts';

/** Tools of one server: all are sent with every call of the model, which chooses badly among more. */
const maxTools = 128;

/** Characters of their definitions, as JSON. */
const maxDefinitions = 256 * 1024;

/** The names that both protocols of models accept. */
const maxNameLength = 64;
const fitName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tools that a node offers now. @throws StepError `mcp_error`, `mcp_changed`, and as a connection does */
export async function serverTools({ nodeId, config: given }: ListingNode, ctx: ToolLister): Promise<ToolList> {
  // Safe: the config was validated against the schema when it was stored.
  const config = given as McpClientConfig;
  const offered = await offeredTools(config, ctx);
  if (offered instanceof StepError) return absent(offered);
  const wanted = selected(config, offered);
  checkSize(wanted);
  const digest = ctx.digest(JSON.stringify(wanted));
  const names = namesOf(nodeId, wanted, ctx);
  const tools = wanted.map((tool, index): ListedTool => {
    const { name: target, description, parameters } = tool;
    checkSchema(tool, ctx);
    const effect: Effect = config.effects?.[target] ?? 'once';
    return { name: names[index] ?? target, description, parameters, target, effect };
  });
  if (config.pinned === undefined || config.pinned === digest) return { tools, digest };
  const message = `The tools of the MCP server have changed: their digest is ${digest}, and 'pinned' is another one. Check them, then set 'pinned'.`;
  return { tools, digest, problem: { code: 'mcp_changed', message } };
}

/** The server that a config names. @throws StepError `config` */
export function serverOf(config: Pick<McpClientConfig, 'url' | 'server'>): McpServer {
  const issue = serverIssue(config);
  if (issue !== null) throw new StepError('config', `The node ${issue}.`);
  const { url, server = '' } = config;
  return url === undefined ? { name: server } : { url };
}

/** The end of a sentence; null if the config names one server. */
export function serverIssue({
  url,
  server,
}: {
  readonly url?: Json | undefined;
  readonly server?: Json | undefined;
}): string | null {
  return (url === undefined) === (server === undefined) ? "needs exactly one of 'url' and 'server'" : null;
}

/** Of an optional server that does not answer, the reason. */
async function offeredTools(config: McpClientConfig, ctx: ToolLister): Promise<readonly McpTool[] | StepError> {
  try {
    return await ctx.mcp(serverOf(config)).tools();
  } catch (error) {
    const isAbsent = error instanceof StepError && error.code === 'mcp_unavailable';
    if (isAbsent && config.optional === true) return error;
    throw error;
  }
}

function absent({ code, message }: StepError): ToolList {
  return { tools: [], digest: null, absence: { code, message } };
}

/** In the order of their names, so that a server that lists them in another order changes nothing. */
function selected({ tools, exclude = [] }: McpClientConfig, offered: readonly McpTool[]): readonly McpTool[] {
  const missing = (tools ?? []).find((name) => !offered.some((tool) => tool.name === name));
  if (missing !== undefined) {
    const names = listed(
      offered.map(({ name }) => name),
      '',
    );
    throw new StepError('mcp_changed', `'tools' names '${missing}', which the MCP server does not offer. ${names}`);
  }
  return offered
    .filter(({ name }) => (tools === undefined || tools.includes(name)) && !exclude.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function checkSize(tools: readonly McpTool[]): void {
  const advice = "Name those that the agent needs in 'tools'.";
  if (tools.length > maxTools)
    throw new StepError(
      'mcp_error',
      `The MCP server offers ${tools.length} tools, and at most ${maxTools} are possible. ${advice}`,
    );
  if (JSON.stringify(tools).length <= maxDefinitions) return;
  throw new StepError(
    'mcp_error',
    `The tools of the MCP server have more than ${maxDefinitions} characters of JSON. ${advice}`,
  );
}

/** Arguments are checked before a call, so an unusable schema is an error before the model sees the tool. */
function checkSchema({ name, parameters }: McpTool, ctx: ToolLister): void {
  try {
    ctx.schemaIssue(parameters, {});
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const message = `The tool '${name}' of the MCP server has parameters that cannot be checked: ${error.message} Name it in 'exclude'.`;
    throw new StepError('mcp_error', message);
  }
}

/** The names by which the model calls the tools: unique, and in a form that it accepts. */
function namesOf(nodeId: string, tools: readonly McpTool[], { digest }: ToolLister): readonly string[] {
  const whole = tools.map(({ name }) => `${nodeId}__${name}`);
  // A name that needs no change belongs to its tool, whatever others become.
  const taken = new Set(whole.filter((name) => fitName.test(name)));
  return tools.map(({ name }, index) => {
    const wished = whole[index] ?? name;
    if (taken.has(wished)) return wished;
    const changed = wished.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    const isFree = fitName.test(changed) && !taken.has(changed);
    const fit = isFree ? changed : `${changed.slice(0, maxNameLength - 9)}_${digest(name).slice(0, 8)}`;
    taken.add(fit);
    return fit;
  });
}
