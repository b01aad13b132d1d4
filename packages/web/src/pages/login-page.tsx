import { useNavigate, useSearch } from '@tanstack/react-router';
import { sessionEnd } from '../api/client.ts';
import { LoginForm } from '../shell/login-form.tsx';
import { PublicFrame } from './public-frame.tsx';

/** Logs in and goes to the page that was asked for. */
export function LoginPage() {
  const { next } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  return (
    <PublicFrame title="Log in to Millrace">
      <LoginForm
        onLogin={() => {
          sessionEnd.renewed();
          return navigate({ href: next });
        }}
      />
    </PublicFrame>
  );
}
