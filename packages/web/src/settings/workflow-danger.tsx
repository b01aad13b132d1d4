import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteWorkflow } from '../api/trash.ts';
import type { Workflow } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from './section.tsx';

/** Moves the workflow to the trash, after a question: its triggers stop. */
export function WorkflowDanger({ workflow: { slug, name } }: { readonly workflow: Workflow }) {
  const [isAsking, setAsking] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteWorkflow(slug),
    onSuccess: async () => {
      await navigate({ to: '/trash' });
      await cache.invalidateQueries({ queryKey: ['workflows'] });
    },
  });
  return (
    <Section
      title="Delete"
      description="The workflow goes to the trash of its owner, who can restore it with its versions and runs."
      isDangerous
    >
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete workflow
        </Button>
      </div>
      <Dialog
        title={`Delete ${name}?`}
        isOpen={isAsking}
        onOpenChange={setAsking}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </>
        }
      >
        <p>Its triggers stop and its running executions are cancelled. The trash can restore it.</p>
        {remove.error !== null && <Notice kind="error">{remove.error.message}</Notice>}
      </Dialog>
    </Section>
  );
}
