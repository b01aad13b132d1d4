import { CloudUpload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Workflow } from '../api/workflows.ts';
import { useCommands } from '../commands/use-commands.ts';
import type { Graph } from '../state/graph.ts';
import { Button } from '../ui/button.tsx';

const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog.tsx')).PublishDialog }));

interface PublishButtonProps {
  readonly workflow: Workflow;
  readonly graph: Graph;
  readonly save: () => Promise<void>;
}

/** Whether triggers run what the canvas shows, and the button that makes them. */
export function PublishButton(props: PublishButtonProps) {
  const { workflow } = props;
  const [isOpen, setIsOpen] = useState(false);
  const { has_unpublished_changes: isChanged, published_version: published } = workflow;
  const isPublished = published !== null && !isChanged;
  useCommands({ 'version.publish': { run: () => setIsOpen(true), isEnabled: !isPublished } });
  return (
    <>
      <PublishedState workflow={workflow} />
      <Button
        icon={<CloudUpload size={15} aria-hidden="true" />}
        disabled={isPublished}
        title={isPublished ? 'The draft is the published version' : undefined}
        onClick={() => setIsOpen(true)}
      >
        <span className="max-lg:sr-only">Publish</span>
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <PublishDialog {...props} isOpen={isOpen} onOpenChange={setIsOpen} />
        </Suspense>
      )}
    </>
  );
}

function PublishedState({ workflow }: Pick<PublishButtonProps, 'workflow'>) {
  const { has_unpublished_changes: isChanged, published_version: published } = workflow;
  const look = 'inline-flex items-center gap-1.5 rounded-full border px-2 py-0.5 text-[12px] max-md:hidden';
  if (published === null) {
    return (
      <span className={`${look} border-line text-muted`} title="Triggers run every saved edit.">
        <span aria-hidden="true">●</span> Live
      </span>
    );
  }
  if (isChanged) {
    return (
      <span className={`${look} border-warning/40 bg-warning-soft`} title={`Triggers run version ${published}.`}>
        <span aria-hidden="true">◐</span> Draft
      </span>
    );
  }
  return (
    <span className={`${look} border-line text-muted`} title={`Triggers run version ${published}.`}>
      <span aria-hidden="true">✓</span> Published
    </span>
  );
}
