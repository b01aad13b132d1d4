import { expressionRequest, expressionResult, presentEvaluatedText } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { ExpressionPreviews } from '../../../services/previews/expression-previews.ts';
import { addRoute } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface ExpressionRoutes {
  readonly expressionPreviews: ExpressionPreviews;
  readonly access: WorkflowAccess;
}

/** The endpoint that evaluates expressions while they are written. */
export function addExpressions(app: FastifyInstance, { expressionPreviews, access }: ExpressionRoutes): void {
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/workflows/:slug/expressions/evaluate/',
    operationId: 'evaluateExpression',
    summary: 'Evaluates a text with the data of an execution, as a step would',
    tag: 'Workflows',
    access: 'editor',
    body: expressionRequest,
    examples: [{ text: 'Hello, {{ trigger.payload.name | default("you") }}!', node_id: 'greet' }],
    success: { status: 200, schema: expressionResult },
    errors: [409],
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) => {
      const { text, bare = false, node_id: nodeId = null, execution_id: executionId = null } = body;
      const request = { text, isBare: bare, nodeId, executionId };
      const { evaluated, execution } = await expressionPreviews.evaluate(caller.user, loaded, request);
      return presentEvaluatedText(evaluated, execution);
    },
  });
}
