import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Login, logIn, sessionOf, sessionQuery } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';

type LoggedIn = Awaited<ReturnType<typeof logIn>>;

/** Logs in with a password or with an API key. */
export function LoginForm({ onLogin }: { readonly onLogin: (user: LoggedIn) => unknown }) {
  const [usesKey, setUsesKey] = useState(false);
  const cache = useQueryClient();
  const login = useMutation({
    mutationFn: logIn,
    onSuccess: async (user) => {
      cache.setQueryData(sessionQuery.queryKey, sessionOf(user));
      await onLogin(user);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    login.mutate(loginIn(new FormData(event.currentTarget), usesKey));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {login.error !== null && <Notice kind="error">{login.error.message}</Notice>}
      {usesKey ? (
        <TextField
          key="key"
          name="api_key"
          label="API key"
          type="password"
          autoComplete="off"
          required
          autoFocus
          hint="The first start wrote the key of the admin to admin.key in the data directory."
        />
      ) : (
        <>
          <TextField name="username" label="User name" autoComplete="username" required autoFocus />
          <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
        </>
      )}
      <Button kind="primary" type="submit" className="h-9" disabled={login.isPending}>
        {login.isPending ? 'Logging in…' : 'Log in'}
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          login.reset();
          setUsesKey(!usesKey);
        }}
      >
        {usesKey ? 'Use a password instead' : 'Use an API key instead'}
      </Button>
    </form>
  );
}

function loginIn(form: FormData, usesKey: boolean): Login {
  const text = (name: string): string => String(form.get(name) ?? '');
  // A pasted key often brings a line break or a space.
  if (usesKey) return { api_key: text('api_key').trim() };
  return { username: text('username').trim(), password: text('password') };
}
