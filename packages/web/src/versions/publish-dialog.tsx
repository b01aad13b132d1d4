import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { publish, type RejectedPublication, unpublish, versionQuery, versionsQuery } from '../api/versions.ts';
import { type Workflow, workflowQuery } from '../api/workflows.ts';
import type { Graph } from '../state/graph.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { ChangesList } from './changes-list.tsx';
import { graphChanges } from './graph-changes.ts';

interface PublishDialogProps {
  readonly workflow: Workflow;
  /** The draft, with edits that are not saved yet. */
  readonly graph: Graph;
  /** Saves the draft. */
  readonly save: () => Promise<void>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** Shows what changes for triggers, and publishes it. */
export function PublishDialog({ workflow, graph, save, isOpen, onOpenChange }: PublishDialogProps) {
  const [note, setNote] = useState('');
  const [rejected, setRejected] = useState<RejectedPublication | null>(null);
  const cache = useQueryClient();
  const mutation = useMutation({
    mutationFn: async (force: boolean) => {
      await save();
      return publish(workflow.slug, { note: note.trim() === '' ? null : note.trim(), force });
    },
    onSuccess: async (result) => {
      if ('issues' in result) setRejected(result);
      else await done();
    },
  });
  const goLive = useMutation({ mutationFn: () => unpublish(workflow.slug), onSuccess: () => done() });
  const done = async (): Promise<void> => {
    onOpenChange(false);
    await cache.invalidateQueries({ queryKey: workflowQuery(workflow.slug).queryKey });
    await cache.invalidateQueries({ queryKey: ['workflows', 'versions', workflow.slug] });
  };
  const error = mutation.error ?? goLive.error;
  const isLive = workflow.published_version === null;
  return (
    <Dialog
      title={isLive ? 'Publish this workflow' : 'Publish changes'}
      description={
        isLive
          ? 'Triggers run every saved edit at once now. After publishing, they run this version until you publish again.'
          : 'Triggers run the published version until you publish the draft.'
      }
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isWide={!isLive}
      actions={
        <>
          {!isLive && (
            <Button
              kind="quiet"
              className="mr-auto"
              title="Triggers run every saved edit at once, without publishing."
              disabled={goLive.isPending}
              onClick={() => goLive.mutate()}
            >
              Make live
            </Button>
          )}
          <Button kind="quiet" onClick={() => onOpenChange(false)}>
            Cancel
          </Button>
          {rejected !== null && (
            <Button kind="danger" disabled={mutation.isPending} onClick={() => mutation.mutate(true)}>
              Publish with errors
            </Button>
          )}
          <Button kind="primary" disabled={mutation.isPending} onClick={() => mutation.mutate(false)}>
            Publish
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {!isLive && <DraftChanges workflow={workflow} graph={graph} />}
        <TextField
          label="Note"
          placeholder="What changes for the people who use it"
          hint="Optional. The list of versions shows it."
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        {rejected !== null && <Issues rejected={rejected} />}
        {error !== null && <Notice kind="error">{error.message}</Notice>}
      </div>
    </Dialog>
  );
}

function Issues({ rejected: { issues } }: { readonly rejected: RejectedPublication }) {
  const errors = issues.filter(({ severity }) => severity === 'error');
  return (
    <Notice kind="error">
      <p>The draft has errors and was not published:</p>
      <ul className="mt-1 list-disc pl-4">
        {errors.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** What differs from the published version, and who changed it. */
function DraftChanges({ workflow, graph }: Pick<PublishDialogProps, 'workflow' | 'graph'>) {
  const { slug, published_version: published } = workflow;
  const version = useQuery({ ...versionQuery(slug, published ?? 0), enabled: published !== null });
  const before = version.data?.graph;
  const changes = useMemo(() => (before === undefined ? null : graphChanges(before, graph)), [before, graph]);
  if (version.error !== null) return <Notice kind="error">{version.error.message}</Notice>;
  if (changes === null) return <p className="text-[13px] text-muted">Comparing…</p>;
  return (
    <section aria-label="What changes" className="flex flex-col gap-2">
      <Authors slug={slug} since={published ?? 0} />
      <ChangesList changes={changes} />
    </section>
  );
}

/** As many versions as are looked at for their authors. */
const shownVersions = 100;

function Authors({ slug, since }: { readonly slug: string; readonly since: number }) {
  const { data } = useQuery(versionsQuery(slug, { limit: shownVersions, offset: 0 }));
  const authors = new Set((data?.items ?? []).filter(({ version }) => version > since).map(({ author }) => author));
  const names = [...authors].map((author) => author ?? 'the service');
  if (names.length === 0) return null;
  return (
    <p className="text-[13px] text-muted">
      Changed by {names.join(', ')} since version {since}.
    </p>
  );
}
