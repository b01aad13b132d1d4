import type { Schemas } from '@millrace/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useMemo, useState } from 'react';
import { restore, versionQuery } from '../api/versions.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { tabClasses } from '../ui/tabs.ts';
import { ChangesList } from './changes-list.tsx';
import { graphChanges } from './graph-changes.ts';
import { RestoreNodeButton } from './restore-node-button.tsx';

interface VersionDetailProps {
  readonly item: Schemas['Version'];
  readonly workflow: WorkflowDetail;
}

type Other = 'previous' | 'newest' | 'published';

/** What a version changed, how it differs from others, and the button that brings it back. */
export function VersionDetail({ item, workflow }: VersionDetailProps) {
  const { version } = item;
  const [other, setOther] = useState<Other>('previous');
  const choices: readonly { readonly other: Other; readonly text: string; readonly number: number | null }[] = [
    { other: 'previous', text: 'Changed in this version', number: version > 1 ? version - 1 : null },
    {
      other: 'newest',
      text: 'Compared with the newest',
      number: version === workflow.version ? null : workflow.version,
    },
    {
      other: 'published',
      text: 'Compared with the published one',
      number: workflow.published_version === version ? null : workflow.published_version,
    },
  ];
  const chosen = choices.find((choice) => choice.other === other && choice.number !== null) ?? choices[0];
  return (
    <article className="mx-auto flex max-w-3xl flex-col gap-4">
      <header className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold text-[18px]">Version {version}</h2>
          <p className="text-[13px] text-muted">
            {item.author ?? 'Millrace'}, <RelativeTime at={item.created_at} />
          </p>
        </div>
        {version !== workflow.version && <RestoreButton version={version} workflow={workflow} />}
      </header>
      {typeof item.publication?.note === 'string' && <p>{item.publication.note}</p>}
      <div className="flex flex-wrap gap-4 border-line border-b">
        {choices
          .filter(({ number }) => number !== null)
          .map((choice) => (
            <button
              key={choice.other}
              type="button"
              aria-pressed={choice === chosen}
              data-active={choice === chosen ? '' : undefined}
              className={tabClasses}
              onClick={() => setOther(choice.other)}
            >
              {choice.text}
            </button>
          ))}
      </div>
      {chosen?.number === null || chosen === undefined ? (
        <p className="text-[13px] text-muted">This is the first version.</p>
      ) : (
        <Comparison workflow={workflow} from={Math.min(version, chosen.number)} to={Math.max(version, chosen.number)} />
      )}
    </article>
  );
}

interface ComparisonProps {
  readonly workflow: WorkflowDetail;
  readonly from: number;
  readonly to: number;
}

function Comparison({ workflow, from, to }: ComparisonProps) {
  const { slug } = workflow;
  const before = useQuery(versionQuery(slug, from));
  const after = useQuery(versionQuery(slug, to));
  const [old, now] = [before.data?.graph, after.data?.graph];
  const changes = useMemo(() => (old === undefined || now === undefined ? null : graphChanges(old, now)), [old, now]);
  const error = before.error ?? after.error;
  if (error !== null) return <Notice kind="error">{error.message}</Notice>;
  if (changes === null) return <p className="text-[13px] text-muted">Comparing…</p>;
  return (
    <>
      <p className="text-[13px] text-muted">
        From version {from} to version {to}
      </p>
      <ChangesList
        changes={changes}
        actionOf={({ node }) => {
          const earlier = old?.nodes.find(({ id }) => id === node.id);
          return earlier && <RestoreNodeButton earlier={earlier} version={from} workflow={workflow} />;
        }}
      />
    </>
  );
}

function RestoreButton({ version, workflow }: { readonly version: number; readonly workflow: WorkflowDetail }) {
  const cache = useQueryClient();
  const { slug } = workflow;
  const restoring = useMutation({
    mutationFn: () => restore(slug, version, workflow.version),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: workflowQuery(slug).queryKey });
      await cache.invalidateQueries({ queryKey: ['workflows', 'versions', slug] });
    },
  });
  return (
    <>
      {restoring.error !== null && <Notice kind="error">{restoring.error.message}</Notice>}
      {restoring.isSuccess && <Notice kind="info">Version {version} is the newest one again, as a new version.</Notice>}
      <Button
        icon={<History size={15} aria-hidden="true" />}
        disabled={restoring.isPending}
        title="Makes its graph the newest version. Nothing is lost: the present one stays in this list."
        onClick={() => restoring.mutate()}
      >
        Restore
      </Button>
    </>
  );
}
