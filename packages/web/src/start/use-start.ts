import { exactJsonText } from '@millrace/core/editing';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useContext } from 'react';
import { execute, executionQuery, executionsQuery, replayExecution, type StartRequest } from '../api/executions.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import type { RunOverlay } from '../state/run-overlay.ts';
import { RunOverlayContext } from '../state/run-overlay-context.ts';
import { now } from '../ui/clock.ts';
import { rememberPayload } from './recent-payloads.ts';

/** A run of the draft, or of one node with the results of the last run as its input. */
export type RunStart = StartRequest | { readonly onlyNode: string };

interface StartOptions {
  readonly workflow: WorkflowDetail;
  /** Called before a run starts: edits that are not saved yet would not be in it. */
  readonly beforeRun: (() => Promise<void>) | undefined;
}

/** Starts a run, shows it on the canvas, and remembers its payload. */
export function useStart({ workflow, beforeRun }: StartOptions) {
  const overlay = useContext(RunOverlayContext);
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (start: RunStart) => {
      await beforeRun?.();
      return 'onlyNode' in start
        ? runOnly(workflow.slug, start.onlyNode, overlay, cache)
        : execute(workflow.slug, start);
    },
    onSuccess: async ({ execution_id: id }, start) => {
      if (!('onlyNode' in start)) remember(workflow.id, start);
      overlay.watch(id);
      overlay.fill(await cache.fetchQuery({ ...executionQuery(id), staleTime: 0 }));
    },
  });
}

function remember(workflowId: number, { payload, trigger = '' }: StartRequest): void {
  const text = payload === undefined ? '' : exactJsonText(payload, 2);
  rememberPayload(workflowId, { trigger, text, at: now() });
}

/** Runs a node of the newest version with the results of the run on the canvas, or else of the last run. */
async function runOnly(slug: string, node: string, overlay: RunOverlay, cache: QueryClient) {
  const { version } = await cache.fetchQuery({ ...workflowQuery(slug), staleTime: 0 });
  const id = overlay.run?.id ?? (await lastRun(slug, cache));
  if (id === undefined) {
    throw new Error(`No run has results that ${node} could use as its input. Run the workflow to ${node} first.`);
  }
  return replayExecution(id, { fromNode: node, toNode: node, overrides: {}, version });
}

async function lastRun(slug: string, cache: QueryClient): Promise<string | undefined> {
  const query = executionsQuery({ workflow_slug: slug, limit: 1, offset: 0 });
  const { items } = await cache.fetchQuery({ ...query, staleTime: 0 });
  return items[0]?.execution_id;
}
