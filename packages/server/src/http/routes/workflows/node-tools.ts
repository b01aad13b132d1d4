import { nodeTools as nodeToolsBody, presentTool } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { NodeTools } from '../../../services/mcp/node-tools.ts';
import type { Nodes } from '../../../services/workflows/nodes.ts';
import { textParameter } from '../../openapi/path-parameters.ts';
import { addRoute } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface NodeToolRoutes {
  readonly nodes: Nodes;
  readonly nodeTools: NodeTools;
  readonly access: WorkflowAccess;
}

/** The endpoint that lists what a node offers to agents. */
export function addNodeTools(app: FastifyInstance, { nodes, nodeTools, access }: NodeToolRoutes): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/workflows/:slug/nodes/:node_id/tools/',
    params: { node_id: textParameter('The node, by its `node_id`.') },
    operationId: 'listNodeTools',
    summary: 'Lists the tools that a node offers to agents now; asks its MCP server',
    tag: 'Nodes',
    access: 'editor',
    success: { status: 200, schema: nodeToolsBody },
    load: async (caller, { node_id: nodeId = '', ...params }) => {
      const workflow = await access.forWriting(caller, params);
      return { workflow, node: await nodes.find(caller.user, workflow, nodeId) };
    },
    handle: async ({ loaded: { workflow, node } }) => {
      const { tools, digest, problem } = await nodeTools.list(workflow, node);
      return { tools: tools.map(presentTool), digest, problem };
    },
  });
}
