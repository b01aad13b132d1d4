import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { createKey, type IssuedKey, keysQuery, revokeKey } from '../api/settings/account.ts';
import { Button } from '../ui/button.tsx';
import { inputClasses, selectClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import { KeyRow } from './key-row.tsx';
import { Section } from './section.tsx';

/** The user's API keys. A key is shown only once. */
export function KeySettings() {
  const { data, error } = useQuery(keysQuery);
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const cache = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeKey,
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  return (
    <Section
      title="API keys and sessions"
      description="Programs that call the API or a webhook send a key. Browsers that are logged in have a session."
    >
      <NewKey onIssued={setIssued} />
      {issued !== null && <IssuedNotice issued={issued} />}
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data?.length === 0 && <p className="text-[13px] text-muted">You have no API keys.</p>}
      {data !== undefined && data.length > 0 && (
        <ul aria-label="API keys and sessions" className="divide-y divide-line rounded-control border border-line">
          {data.map((key) => (
            <KeyRow key={key.id} apiKey={key} keys={data} revoke={revoke} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function IssuedNotice({ issued: { name, key } }: { readonly issued: IssuedKey }) {
  return (
    <Notice kind="warning" action={<CopyButton label="Copy" text={() => key} className="bg-raised" />}>
      Copy the key “{name}” now: it is never shown again.
      <code className="mt-1 block break-all text-[13px]">{key}</code>
    </Notice>
  );
}

function NewKey({ onIssued }: { readonly onIssued: (key: IssuedKey) => void }) {
  const id = useId();
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: createKey,
    onSuccess: (key) => {
      onIssued(key);
      return cache.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const day = String(form.get('expires') ?? '');
    create.mutate(
      {
        name: String(form.get('name') ?? '').trim(),
        scope: form.get('scope') === 'webhook' ? 'webhook' : 'full',
        ...(day !== '' && { expires_at: `${day}T23:59:59` }),
      },
      { onSuccess: () => element.reset() },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {create.error !== null && <Notice kind="error">{create.error.message}</Notice>}
      <div className="flex flex-wrap items-end gap-2">
        <label className="flex min-w-40 flex-1 flex-col gap-1 font-medium text-[13px]">
          Name
          <input name="name" className={`${inputClasses} font-normal`} required autoComplete="off" />
        </label>
        <div className="flex w-44 flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Allows
          </label>
          <select id={id} name="scope" className={selectClasses} defaultValue="full">
            <option value="full">Everything you may do</option>
            <option value="webhook">Only webhooks</option>
          </select>
        </div>
        <label className="flex w-40 flex-col gap-1 font-medium text-[13px]">
          Expires (UTC)
          <input name="expires" type="date" className={`${inputClasses} font-normal`} />
        </label>
        <Button kind="primary" type="submit" className="h-9" disabled={create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}
