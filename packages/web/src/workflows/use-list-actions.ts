import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { exportedText } from '../api/text.ts';
import { deleteWorkflow, restoreWorkflow } from '../api/trash.ts';
import { changeWorkflow, type Workflow, workflowDetail } from '../api/workflows.ts';
import type { WorkflowRow } from './list-rows.ts';
import type { RowAction } from './row-menu.tsx';
import { useBulk } from './use-bulk.ts';
import { copyWebhookCommand, duplicate, exportWorkflow, exportWorkflows } from './workflow-actions.ts';

/** What the list does with one workflow, and with the selected ones. */
export function useListActions(all: readonly WorkflowRow[]) {
  const bulk = useBulk();
  const navigate = useNavigate();
  const [deleted, setDeleted] = useState<readonly Workflow[]>([]);
  const [copied, setCopied] = useState<Workflow | null>(null);
  const one = (label: string, workflow: Workflow, perform: (workflow: Workflow) => Promise<unknown>) =>
    bulk.run({ label, workflows: [workflow], perform });

  const remove = async (workflows: readonly Workflow[]): Promise<readonly Workflow[]> => {
    setDeleted([]);
    const removed = await bulk.run({ label: 'Deleting', workflows, perform: ({ slug }) => deleteWorkflow(slug) });
    setDeleted(removed);
    return removed;
  };
  const duplicateOne = async (workflow: Workflow): Promise<void> => {
    const taken = new Set(all.map((row) => row.workflow.slug));
    await one('Duplicating', workflow, async () => {
      const { slug } = await duplicate(workflow, taken);
      await navigate({ to: '/w/$slug', params: { slug } });
    });
  };
  return {
    bulk,
    deleted,
    copied,
    remove,
    undo: async (): Promise<void> => {
      await bulk.run({ label: 'Restoring', workflows: deleted, perform: ({ id }) => restoreWorkflow(id) });
      setDeleted([]);
    },
    tag: (workflows: readonly Workflow[], tag: string) =>
      bulk.run({
        label: 'Tagging',
        workflows: workflows.filter(({ tags }) => tags?.includes(tag) !== true),
        perform: async ({ slug }) => {
          // The list may be older than what somebody else has stored.
          const { tags } = await workflowDetail(slug);
          return changeWorkflow(slug, { tags: [...new Set([...(tags ?? []), tag])] });
        },
      }),
    exportAll: async (workflows: readonly Workflow[]): Promise<void> => {
      const texts = new Map<string, string>();
      const perform = async ({ slug }: Workflow) => texts.set(slug, await exportedText(slug));
      await bulk.run({ label: 'Exporting', workflows, perform });
      if (texts.size > 0) await exportWorkflows(texts);
    },
    /** Performs an action of a row's menu. */
    act: async ({ workflow }: WorkflowRow, action: RowAction): Promise<void> => {
      setCopied(null);
      if (action === 'delete') await remove([workflow]);
      else if (action === 'duplicate') await duplicateOne(workflow);
      else if (action === 'export') await one('Exporting', workflow, exportWorkflow);
      else if ((await one('Copying', workflow, copyWebhookCommand)).length > 0) setCopied(workflow);
    },
    retry: (): void => {
      const failed = bulk.state?.failures.map(({ workflow }) => workflow) ?? [];
      if (bulk.state !== null) void bulk.run({ ...bulk.state.action, workflows: failed });
    },
  };
}
