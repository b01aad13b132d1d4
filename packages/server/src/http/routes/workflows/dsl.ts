import {
  dslExport,
  dslImport,
  dslText,
  dslValidation,
  importedWorkflow,
  presentDslCheck,
  presentImported,
} from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Dsl } from '../../../services/dsl/dsl.ts';
import type { WorkflowTexts } from '../../../services/dsl/workflow-texts.ts';
import { addRoute, OtherAnswer } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface DslRoutes {
  readonly dsl: Dsl;
  readonly workflowTexts: WorkflowTexts;
  readonly access: WorkflowAccess;
}

const yaml = 'text/yaml; charset=utf-8';
const tag = 'Workflows';
const collection = '/api/v1/workflows/';

/** The endpoints of workflows as YAML text. */
export function addDsl(app: FastifyInstance, { dsl, workflowTexts, access }: DslRoutes): void {
  addRoute(app, {
    method: 'POST',
    path: `${collection}validate-dsl/`,
    operationId: 'validateWorkflowText',
    summary: 'Validates a workflow in YAML without storing it',
    tag,
    access: 'user',
    body: dslText,
    examples: [{ yaml_str: 'name: Greeting\nslug: greeting\nnodes:\n  - {id: start, type: trigger_manual}\n' }],
    success: { status: 200, schema: dslValidation },
    handle: async ({ caller, body }) => presentDslCheck(await dsl.check(caller.user, body.yaml_str)),
  });
  addRoute(app, {
    method: 'POST',
    path: `${collection}import/`,
    operationId: 'importWorkflow',
    summary: 'Creates a workflow from YAML, or updates the one with its slug',
    tag,
    access: 'user',
    body: dslImport,
    examples: [{ yaml_str: 'name: Greeting\nslug: greeting\nnodes:\n  - {id: start, type: trigger_manual}\n' }],
    success: { status: 201, schema: importedWorkflow },
    others: { 200: importedWorkflow },
    errors: [409],
    handle: async ({ caller, body }) => {
      const { yaml_str: text, slug, publish = false, must_be_new: mustBeNew = false, is_active: isActive } = body;
      const source = { text, slug, publish, mustBeNew, isActive };
      const { workflow, isNew, issues } = await dsl.import(caller.user, source);
      // Without comments, the exported text says the same.
      if (text.includes('#')) await workflowTexts.save(workflow, text);
      const imported = presentImported(workflow, issues);
      return isNew ? imported : new OtherAnswer(200, JSON.stringify(imported));
    },
  });
  addRoute(app, {
    method: 'GET',
    path: `${collection}:slug/export/`,
    operationId: 'exportWorkflow',
    summary: 'Exports a workflow as YAML: in JSON, or as plain text for `Accept: text/yaml`',
    tag,
    access: 'reader',
    success: { status: 200, schema: dslExport },
    errors: [409],
    load: access.forReading,
    handle: async ({ caller, loaded, request }) => {
      const text = await dsl.export(caller.user, loaded);
      return asksForYaml(request.headers.accept) ? new OtherAnswer(200, text, yaml) : { yaml_str: text };
    },
  });
}

/** JSON by default; YAML only if the caller names it. */
function asksForYaml(accept: string | undefined): boolean {
  return accept !== undefined && /\b(?:text|application)\/(?:x-)?yaml\b/i.test(accept);
}
