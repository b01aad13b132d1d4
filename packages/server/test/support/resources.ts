import { scheduleTimetable as readTimetable } from '@millrace/components';
import type { Catalogue } from '@millrace/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { addOpenapi } from '../../src/http/plumbing/openapi.ts';
import { workflowAccess } from '../../src/http/plumbing/workflow-access.ts';
import { addCollaborators } from '../../src/http/routes/access/collaborators.ts';
import { addCredentials } from '../../src/http/routes/credentials/credentials.ts';
import { addHealth } from '../../src/http/routes/service/health.ts';
import { addVariables } from '../../src/http/routes/variables/variables.ts';
import { addDsl } from '../../src/http/routes/workflows/dsl.ts';
import { addEdges } from '../../src/http/routes/workflows/edges.ts';
import { addGraph } from '../../src/http/routes/workflows/graph.ts';
import { addNodeTypes } from '../../src/http/routes/workflows/node-types.ts';
import { addNodes } from '../../src/http/routes/workflows/nodes.ts';
import { addTrash } from '../../src/http/routes/workflows/trash.ts';
import { addValidation } from '../../src/http/routes/workflows/validation.ts';
import { addVersions } from '../../src/http/routes/workflows/versions.ts';
import { addWorkflows } from '../../src/http/routes/workflows/workflows.ts';
import { createCollaborators } from '../../src/services/access/collaborators.ts';
import { createCredentials } from '../../src/services/credentials/credentials.ts';
import { createDsl } from '../../src/services/dsl/dsl.ts';
import { createSchedules } from '../../src/services/triggers/schedules.ts';
import { checkSchema, createInputSchemas } from '../../src/services/validation/input-schema.ts';
import { createValidation } from '../../src/services/validation/validation.ts';
import { createVariables } from '../../src/services/variables/variables.ts';
import { createEdges } from '../../src/services/workflows/edges.ts';
import { createGraphOperations } from '../../src/services/workflows/graph-operations.ts';
import { createNodes } from '../../src/services/workflows/nodes.ts';
import { createTrash } from '../../src/services/workflows/trash.ts';
import { createVersions } from '../../src/services/workflows/versions.ts';
import { createWorkflows } from '../../src/services/workflows/workflows.ts';
import { startTestApp, type TestApp, type TestParts } from './app.ts';
import { testVault } from './vault.ts';

/** The endpoints of workflows, nodes, edges, credentials and what describes them. */
function addResources(app: FastifyInstance, { store, graphs, catalogue, time }: TestParts): void {
  const access = workflowAccess(store);
  const checks = { store, graphs, catalogue, readTimetable, inputSchemas: createInputSchemas() };
  const workflows = createWorkflows({ store, clock: time.clock, checkSchema });
  const schedules = createSchedules({ store, clock: time.clock });
  addWorkflows(app, { workflows, graphs, schedules, access });
  addNodes(app, { nodes: createNodes({ store, graphs, catalogue }), schedules, access });
  addEdges(app, { edges: createEdges(graphs, catalogue), access });
  addCollaborators(app, { collaborators: createCollaborators({ store, clock: time.clock }), access });
  addGraph(app, { graphOperations: createGraphOperations({ store, graphs, catalogue }), schedules, access });
  addVersions(app, { versions: createVersions({ store, graphs }), schedules, access });
  addTrash(app, { trash: createTrash({ store, clock: time.clock }) });
  addValidation(app, { validation: createValidation(checks), access });
  const log = pino({ level: 'silent' });
  const vault = testVault(store);
  addCredentials(app, createCredentials({ store, clock: time.clock, vault, log }));
  addVariables(app, { variables: createVariables({ store, vault, log }), access });
  addDsl(app, { dsl: createDsl({ ...checks, workflows, checkSchema }), access });
  addNodeTypes(app, catalogue);
  addHealth(app, { version: '0.0.0', ping: () => store.ping() });
  addOpenapi(app);
}

interface Options {
  readonly catalogue?: Catalogue;
  /** Bytes of an API body. */
  readonly maxBody?: number;
  /** Further endpoints. */
  readonly routes?: (app: FastifyInstance) => void;
  /** Told of every endpoint. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** A test app with the endpoints of workflows, nodes and edges. */
export function startResources({ routes, onRoute, ...options }: Options = {}): Promise<TestApp> {
  return startTestApp({
    ...options,
    routes: async (app, parts) => {
      if (onRoute !== undefined) app.addHook('onRoute', onRoute);
      // A hook holds for what is registered after it.
      await app.after();
      addResources(app, parts);
      routes?.(app);
    },
  });
}

/** The same with one workflow, `wf`, and the path below which its nodes and edges are. */
export async function startWorkflow(options: Options = {}): Promise<TestApp & { readonly path: string }> {
  const api = await startResources(options);
  await api.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
  return { ...api, path: '/api/v1/workflows/wf' };
}
