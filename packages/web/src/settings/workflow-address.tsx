import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { changeWorkflow, type Workflow } from '../api/workflows.ts';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { SaveButton } from './saved.tsx';
import { Section } from './section.tsx';

/** The slug, with the addresses that change with it. */
export function WorkflowAddress({ workflow: { slug } }: { readonly workflow: Workflow }) {
  const [typed, setTyped] = useState(slug);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () => changeWorkflow(slug, { slug: typed.trim() }),
    onSuccess: async (changed) => {
      await navigate({ to: '/w/$slug/settings', params: { slug: changed.slug }, replace: true });
      await cache.invalidateQueries({ queryKey: ['workflows'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const isOther = typed.trim() !== slug && typed.trim() !== '';
  return (
    <Section title="Address" description="The slug names the workflow in addresses. Only its owner may change it.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Slug"
          required
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {isOther && (
          <Notice kind="warning">
            These addresses stop working, and callers must use the new ones:
            <ul className="mt-1 flex list-disc flex-col gap-1 break-all pl-4 font-mono text-[12px]">
              {addressesOf(slug).map((old, index) => (
                <li key={old}>
                  {old} → {addressesOf(typed.trim())[index]}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {isOther || save.error !== null ? <SaveButton state={save} text="Change the slug" /> : null}
      </form>
    </Section>
  );
}

function addressesOf(slug: string): readonly string[] {
  return [`/api/v1/webhooks/${slug}`, `/api/v1/workflows/${slug}/`, `/w/${slug}`];
}
