import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { sessionQuery } from '../api/session.ts';
import { changePassword } from '../api/settings/account.ts';
import { TextField } from '../ui/field.tsx';
import { SaveButton } from './saved.tsx';
import { Section } from './section.tsx';

/** The user's own account. */
export function ProfileSettings() {
  const { data } = useQuery(sessionQuery);
  const user = data?.user;
  return (
    <>
      <Section title="Account">
        <dl className="grid grid-cols-[8rem_1fr] gap-y-1 text-[13px]">
          <dt className="text-muted">User name</dt>
          <dd className="break-all">{user?.username}</dd>
          <dt className="text-muted">Role</dt>
          <dd>{user?.is_admin === true ? 'Admin' : 'User'}</dd>
        </dl>
      </Section>
      <PasswordForm username={user?.username ?? ''} />
    </>
  );
}

function PasswordForm({ username }: { readonly username: string }) {
  const save = useMutation({ mutationFn: changePassword });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const current = String(form.get('current') ?? '');
    save.mutate(
      { password: String(form.get('password') ?? ''), current_password: current === '' ? null : current },
      { onSuccess: () => element.reset() },
    );
  };
  return (
    <Section
      title="Password"
      description="At least 10 characters. A new password ends your other sessions and the API keys that were created in sessions. Leave the current one empty if you have none yet."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <input type="hidden" name="username" autoComplete="username" value={username} readOnly />
        <TextField label="Current password" name="current" type="password" autoComplete="current-password" />
        <TextField label="New password" name="password" type="password" autoComplete="new-password" required />
        <SaveButton state={save} text="Change password" />
      </form>
    </Section>
  );
}
