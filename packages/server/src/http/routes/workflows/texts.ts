import { dslText, presentTextReading, savedText, textReading } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Dsl } from '../../../services/dsl/dsl.ts';
import type { WorkflowTexts } from '../../../services/dsl/workflow-texts.ts';
import { addRoute } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface TextRoutes {
  readonly dsl: Dsl;
  readonly workflowTexts: WorkflowTexts;
  readonly access: WorkflowAccess;
}

const tag = 'Workflows';
const item = '/api/v1/workflows/:slug/text/';
const examples = [{ yaml_str: '# Greets everybody.\nname: Greeting\nnodes:\n  - {id: start, type: trigger_manual}\n' }];

/** The endpoints of the text in which editors write a workflow. Only editors see it, because of its comments. */
export function addTexts(app: FastifyInstance, { dsl, workflowTexts, access }: TextRoutes): void {
  addRoute(app, {
    method: 'GET',
    path: item,
    operationId: 'getWorkflowText',
    summary: 'Returns the text of a workflow with the comments of its editors',
    tag,
    access: 'editor',
    success: { status: 200, schema: savedText },
    errors: [409],
    load: access.forWriting,
    handle: async ({ caller, loaded }) => {
      const { text, isSaved } = await workflowTexts.read(caller.user, loaded);
      return { yaml_str: text, is_saved: isSaved };
    },
  });
  addRoute(app, {
    method: 'PUT',
    path: item,
    operationId: 'saveWorkflowText',
    summary: 'Saves the text of a workflow with its comments; the workflow itself does not change',
    tag,
    access: 'editor',
    body: dslText,
    examples,
    success: { status: 200, schema: savedText },
    load: access.forWriting,
    handle: async ({ loaded, body }) => {
      await workflowTexts.save(loaded, body.yaml_str);
      return { yaml_str: body.yaml_str, is_saved: true };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: `${item}read/`,
    operationId: 'readWorkflowText',
    summary: 'Returns the graph that a text describes, without storing it',
    tag,
    access: 'editor',
    body: dslText,
    examples,
    success: { status: 200, schema: textReading },
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) =>
      presentTextReading({ ...(await dsl.read(caller.user, loaded, body.yaml_str)), stored: loaded }),
  });
}
