import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { logIn, sessionOf, sessionQuery } from '../api/session.ts';
import { buttonClasses } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PublicFrame } from './public-frame.tsx';

/** Logs in with the one-time token of the link that the service printed at its start. */
export function SetupPage() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const login = useMutation({
    mutationFn: logIn,
    onSuccess: async (user) => {
      cache.setQueryData(sessionQuery.queryKey, sessionOf(user));
      await navigate({ to: '/workflows', replace: true });
    },
  });
  const { mutate } = login;
  const isSent = useRef(false);
  const token = useRef(new URLSearchParams(location.hash.slice(1)).get('token'));
  useEffect(() => {
    // A token works once, and React runs effects twice in development.
    if (isSent.current || token.current === null) return;
    isSent.current = true;
    mutate({ setup_token: token.current });
  }, [mutate]);
  return (
    <PublicFrame title="Welcome to Millrace">
      {token.current === null ? (
        <div className="flex flex-col gap-4">
          <p>Open the link that Millrace printed when it started. It looks like this:</p>
          <p className="overflow-x-auto rounded-control bg-sunken px-3 py-2 font-mono text-[12px]">
            {location.origin}/setup#token=…
          </p>
          <p className="text-muted">Each start prints a new link until somebody has logged in.</p>
          <Link to="/login" className={buttonClasses('plain')}>
            Log in with an API key
          </Link>
        </div>
      ) : login.error === null ? (
        <p role="status">Logging in…</p>
      ) : (
        <div className="flex flex-col gap-4">
          <Notice kind="error">{login.error.message}</Notice>
          <p className="text-muted">
            The link works once. Restart Millrace to get a new one, or log in with an API key.
          </p>
          <Link to="/login" className={buttonClasses('primary')}>
            Log in
          </Link>
        </div>
      )}
    </PublicFrame>
  );
}
