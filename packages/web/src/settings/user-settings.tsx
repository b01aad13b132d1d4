import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { changeUser, createUser, removeUser, type User, usersQuery } from '../api/settings/account.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses, selectClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { Section } from './section.tsx';
import { UserKeys } from './user-keys.tsx';

/** The users of the installation, for admins. */
export function UserSettings() {
  const { data, error } = useQuery(usersQuery);
  const { data: session } = useQuery(sessionQuery);
  return (
    <Section title="Users" description="Admins manage users; they do not see the workflows of other users.">
      <NewUser />
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={3} />}
      {data !== undefined && (
        <ul aria-label="Users" className="divide-y divide-line rounded-control border border-line">
          {data.map((user) => (
            <UserRow key={user.id} user={user} isSelf={user.id === session?.user?.id} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function useUserChange<T>(perform: (value: T) => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: perform,
    onSuccess: () => cache.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
}

function NewUser() {
  const create = useUserChange(createUser);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const password = String(form.get('password') ?? '');
    create.mutate(
      { username: String(form.get('username') ?? '').trim(), password: password === '' ? null : password },
      { onSuccess: () => element.reset() },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {create.error !== null && <Notice kind="error">{create.error.message}</Notice>}
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
        <label className="flex min-w-40 flex-1 flex-col gap-1 font-medium text-[13px]">
          First password
          <input
            name="password"
            type="password"
            className={`${inputClasses} font-normal`}
            required
            autoComplete="new-password"
          />
        </label>
        <Button kind="primary" type="submit" className="h-9" disabled={create.isPending}>
          Add user
        </Button>
      </div>
    </form>
  );
}

function UserRow({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const { username, is_admin: isAdmin, created_at: createdAt } = user;
  const [isAsking, setAsking] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  const change = useUserChange((next: boolean) => changeUser(username, { is_admin: next }));
  const remove = useUserChange(() => removeUser(username));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-40 flex-1 text-[13px]">
        <div className="break-all font-medium">
          {username} {isSelf && <span className="font-normal text-muted">(you)</span>}
        </div>
        <div className="text-[12px] text-muted">
          added <RelativeTime at={createdAt} />
        </div>
      </div>
      <div className="w-28">
        <select
          aria-label={`Role of ${username}`}
          className={selectClasses}
          value={isAdmin ? 'admin' : 'user'}
          disabled={change.isPending}
          onChange={({ target }) => change.mutate(target.value === 'admin')}
        >
          <option value="user">User</option>
          <option value="admin">Admin</option>
        </select>
      </div>
      <Button aria-label={`Keys of ${username}`} onClick={() => setShowsKeys(true)}>
        Keys
      </Button>
      <UserKeys username={username} isOpen={showsKeys} onOpenChange={setShowsKeys} />
      <Button kind="danger" aria-label={`Delete ${username}`} disabled={isSelf} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {change.error !== null && (
        <div className="w-full">
          <Notice kind="error">{change.error.message}</Notice>
        </div>
      )}
      <Dialog
        title={`Delete the user ${username}?`}
        isOpen={isAsking}
        onOpenChange={setAsking}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
              Delete
            </Button>
          </>
        }
      >
        <p>The keys and sessions of the user end at once. The workflows, with their runs, become yours.</p>
        {remove.error !== null && <Notice kind="error">{remove.error.message}</Notice>}
      </Dialog>
    </li>
  );
}
