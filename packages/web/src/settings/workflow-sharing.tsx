import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useId } from 'react';
import {
  addCollaborator,
  type Collaborator,
  changeRole,
  collaboratorsQuery,
  type Role,
  removeCollaborator,
} from '../api/settings/collaborators.ts';
import type { Workflow } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { inputClasses, selectClasses } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { Section } from './section.tsx';
import { useChanges } from './workflow-general.tsx';

/** Who may read and change the workflow. */
export function WorkflowSharing({ workflow }: { readonly workflow: Workflow }) {
  const { slug } = workflow;
  const { data, error } = useQuery(collaboratorsQuery(slug));
  return (
    <Section
      title="Sharing"
      description="Editors change the workflow and its runs, viewers only read them. Only the owner shares a workflow."
    >
      <Visibility workflow={workflow} />
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data?.length === 0 && <p className="text-[13px] text-muted">The workflow is shared with nobody.</p>}
      {data !== undefined && data.length > 0 && (
        <ul aria-label="Collaborators" className="divide-y divide-line rounded-control border border-line">
          {data.map((collaborator) => (
            <CollaboratorRow key={collaborator.username} slug={slug} collaborator={collaborator} />
          ))}
        </ul>
      )}
      <AddCollaborator slug={slug} />
    </Section>
  );
}

function Visibility({ workflow }: { readonly workflow: Workflow }) {
  const save = useChanges(workflow);
  const shown = { className: 'switch', type: 'checkbox', disabled: save.isPending } as const;
  return (
    <div className="flex flex-col gap-2">
      <label className="flex items-center gap-2 text-[13px]">
        <input
          {...shown}
          checked={workflow.is_public}
          onChange={({ target }) => save.mutate({ is_public: target.checked })}
        />
        Public: every user may read it, without data of runs, and call its webhook
      </label>
      <label className="flex items-center gap-2 text-[13px]">
        <input {...shown} checked={workflow.mcp} onChange={({ target }) => save.mutate({ mcp: target.checked })} />
        MCP tool: MCP clients of the owner and the editors may call its workflow trigger
      </label>
      {save.error !== null && <Notice kind="error">{save.error.message}</Notice>}
    </div>
  );
}

interface CollaboratorRowProps {
  readonly slug: string;
  readonly collaborator: Collaborator;
}

function CollaboratorRow({ slug, collaborator: { username, role } }: CollaboratorRowProps) {
  const refresh = useRefresh(slug);
  const change = useMutation({ mutationFn: (next: Role) => changeRole(slug, username, next), onSuccess: refresh });
  const remove = useMutation({ mutationFn: () => removeCollaborator(slug, username), onSuccess: refresh });
  const error = change.error ?? remove.error;
  return (
    <li className="flex flex-wrap items-center gap-2 px-3 py-2">
      <span className="min-w-32 flex-1 truncate">{username}</span>
      <select
        aria-label={`Role of ${username}`}
        className={`${selectClasses} w-32`}
        value={role}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value as Role)}
      >
        <option value="viewer">Viewer</option>
        <option value="editor">Editor</option>
      </select>
      <IconButton
        label={`Remove ${username}`}
        icon={<X size={16} aria-hidden="true" />}
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      />
      {error !== null && (
        <div className="w-full">
          <Notice kind="error">{error.message}</Notice>
        </div>
      )}
    </li>
  );
}

function AddCollaborator({ slug }: { readonly slug: string }) {
  const id = useId();
  const refresh = useRefresh(slug);
  const add = useMutation({
    mutationFn: (body: { username: string; role: Role }) => addCollaborator(slug, body),
    onSuccess: refresh,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const username = String(form.get('username') ?? '').trim();
    add.mutate({ username, role: form.get('role') as Role }, { onSuccess: () => element.reset() });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      {add.error !== null && <Notice kind="error">{add.error.message}</Notice>}
      <div className="flex flex-wrap items-end gap-2">
        <label className="flex min-w-40 flex-1 flex-col gap-1 font-medium text-[13px]">
          User name
          <input
            name="username"
            className={`${inputClasses} font-normal`}
            required
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <div className="flex w-32 flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Role
          </label>
          <select id={id} name="role" className={selectClasses} defaultValue="viewer">
            <option value="viewer">Viewer</option>
            <option value="editor">Editor</option>
          </select>
        </div>
        <Button type="submit" className="h-9" disabled={add.isPending}>
          Share
        </Button>
      </div>
    </form>
  );
}

function useRefresh(slug: string): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: ['collaborators', slug] });
}
