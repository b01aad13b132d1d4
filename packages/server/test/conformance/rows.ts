import { accessRows } from './access-rows.ts';
import { conventionRows } from './convention-rows.ts';
import { credentialRows } from './credential-rows.ts';
import { dslRows } from './dsl-rows.ts';
import { edgeRows } from './edge-rows.ts';
import { engineDataRows } from './engine-data-rows.ts';
import { engineDurabilityRows } from './engine-durability-rows.ts';
import { engineFailureRows } from './engine-failure-rows.ts';
import { enginePauseRows } from './engine-pause-rows.ts';
import { engineReplayRows } from './engine-replay-rows.ts';
import { engineScaleRows } from './engine-scale-rows.ts';
import { engineScopeRows } from './engine-scope-rows.ts';
import { errorRows } from './error-rows.ts';
import { eventRows } from './event-rows.ts';
import { executionRows } from './execution-rows.ts';
import { fieldRows } from './field-rows.ts';
import { graphRows } from './graph-rows.ts';
import { httpRequestRows } from './http-request-rows.ts';
import { liveRows } from './live-rows.ts';
import { memoryRows } from './memory-rows.ts';
import { nodeRows } from './node-rows.ts';
import { publishingRows } from './publishing-rows.ts';
import { requirementsInTests, withRequirements } from './requirements.ts';
import type { Part } from './row.ts';
import { userRows } from './user-rows.ts';
import { variableRows } from './variable-rows.ts';
import { webhookRows } from './webhook-rows.ts';
import { workflowRows } from './workflow-rows.ts';

const written: readonly Part[] = [
  ...fieldRows,
  ...workflowRows,
  ...nodeRows,
  ...edgeRows,
  ...webhookRows,
  ...accessRows,
  ...eventRows,
  ...errorRows,
  ...conventionRows,
  ...executionRows,
  ...userRows,
  ...dslRows,
  ...liveRows,
  ...credentialRows,
  ...variableRows,
  ...memoryRows,
  ...graphRows,
  ...httpRequestRows,
  ...publishingRows,
  ...engineScopeRows,
  ...enginePauseRows,
  ...engineDataRows,
  ...engineFailureRows,
  ...engineDurabilityRows,
  ...engineReplayRows,
  ...engineScaleRows,
];

/** All promises of the specification, the interface and the engine, in parts. */
export const parts: readonly Part[] = withRequirements(written, requirementsInTests());
