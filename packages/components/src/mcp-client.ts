import { defineComponent, type JsonObject, type KnownRequest, StepError } from '@millrace/core';
import { mcpClientConfig } from './mcp/mcp-config.ts';
import { serverIssue, serverOf, serverTools } from './mcp/server-tools.ts';
import { reportOf, resultOf } from './mcp/tool-result.ts';

export const mcpClient = defineComponent({
  type: 'mcp_client',
  label: 'MCP Client',
  category: 'Tools',
  icon: 'plug',
  color: '#10b981',
  description: `Offers the tools of an MCP server to an agent. Connect it to the agent by an edge labelled \`tool\`; it is never a
step of a run by itself.

\`\`\`json
{ "url": "https://tools.example/mcp", "tools": ["search", "read_page"], "effects": { "search": "idempotent" } }
\`\`\`

When an agent starts, it asks the server (streamable HTTP) for its tools. The model calls them by the id of
the node and their name, such as \`wiki__search\`. The list is stored with the agent's run, so that what the server offers later changes nothing in it.

A server is not trusted: \`effects\` and \`approve\` say what may be repeated and what a person approves, never the server, and
the service answers no questions of a server (sampling, elicitation, roots). What tools return counts as text from outside
(\`tool.untrusted\`). Of \`tool\`, \`asks\` and \`untrusted\` apply to all tools of the node.

The result of a call is the value that the server sends, or its text. Images, sounds and files are described without their
bytes. A tool that reports an error is \`mcp_error\`, and the model gets the report.

A \`server\` is a program on the machine of the service, which the operator allows by a name.

Put the key of the server into a \`tool\` credential and select it in \`credential_id\`: it is sent only to the hosts that the
credential allows. Redirects to another origin are not followed.`,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'credential_origin',
    'credential_unfit',
    'expression',
    'http_blocked',
    'http_too_large',
    'mcp_changed',
    'mcp_error',
    'mcp_unavailable',
    'secret_unreadable',
  ],
  example: {
    workflow: `name: Wiki
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer from the wiki.
    input: "{{ trigger.payload.question }}"
    tools:
      - {id: wiki, type: mcp_client, url: https://wiki.example/mcp, tools: [search]}
`,
    tests: `tests:
  - name: The model searches the wiki
    payload: {question: When is the office open?}
    http:
      - request: {method: POST, url: https://wiki.example/mcp, body: {contains: server/discover}}
        response:
          status: 200
          body:
            jsonrpc: "2.0"
            result:
              resultType: complete
              supportedVersions: ["2026-07-28"]
              capabilities: {tools: {}}
              ttlMs: 0
              cacheScope: private
              serverInfo: {name: wiki, version: "1"}
      - request: {method: POST, url: https://wiki.example/mcp, body: {contains: tools/list}}
        response:
          status: 200
          body:
            jsonrpc: "2.0"
            result:
              resultType: complete
              ttlMs: 0
              cacheScope: private
              tools:
                - name: search
                  description: Searches the wiki.
                  inputSchema: {type: object, properties: {query: {type: string}}, required: [query]}
      - request: {method: POST, url: https://wiki.example/mcp, body: {contains: office hours}}
        response:
          status: 200
          body:
            jsonrpc: "2.0"
            result: {resultType: complete, content: [{type: text, text: Open from 8 to 17.}]}
    models:
      - node: answer
        calls: [{tool: wiki__search, arguments: {query: office hours}}]
      - {node: answer, input: Open from 8 to 17., answer: From 8 to 17.}
    expect: {final_output: From 8 to 17.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The tools of the server for agents.' }],
  subInputs: [],
  effect: 'once',
  tool: {
    description: 'Calls a tool of an MCP server.',
    fills: [],
    port: 'result',
    isUntrusted: true,
    list: serverTools,
  },
  // Whether a call acted is not known after a failure: only the node's own policy repeats it.
  isRepeatable: () => false,
  version: 1,
  config: mcpClientConfig,
  credential: { type: 'tool', knownIn },
  lacks: serverIssue,
  issues: ({ url }) => urlIssues(url),
  verbatim: ['tools', 'exclude', 'effects'],
  urls: ['url'],
  async call({ input, config, ctx, target }) {
    if (target === undefined) throw new Error('an MCP client was called without the name of a tool');
    // Safe: the arguments of a call are an object.
    const answer = await ctx.mcp(serverOf(config)).call(target, input as JsonObject);
    if (answer.isError) throw new StepError('mcp_error', reportOf(answer));
    return { outputs: { result: resultOf(answer) } };
  },
});

function urlIssues(url: JsonObject[string] | undefined) {
  if (typeof url !== 'string' || url.includes('{{') || /^https?:\/\/./i.test(url.trim())) return [];
  return [{ path: ['url'], severity: 'error', message: 'must begin with http:// or https://' } as const];
}

/** The static address, for the check of the credential. */
function knownIn({ url }: JsonObject): KnownRequest {
  const isKnown = typeof url === 'string' && !url.includes('{{');
  return { address: isKnown ? url.trim() : null, headers: [], parameters: [] };
}
