import { Dialog } from '@base-ui/react/dialog';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionEnd } from '../api/client.ts';
import { live } from '../api/live.ts';
import { sessionQuery } from '../api/session.ts';
import { LoginForm } from './login-form.tsx';

/** Asks for a login over the page, which stays as it is: unsaved edits are saved after the login. */
export function SessionDialog() {
  const cache = useQueryClient();
  const { data } = useQuery(sessionQuery);
  // The user of the page, before a login replaces it.
  const [before] = useState(data?.user?.id);
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/30" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(24rem,calc(100vw-1.5rem))] -translate-x-1/2 -translate-y-1/2 rounded-dialog border border-line bg-raised p-6 shadow-xl outline-none">
          <Dialog.Title className="font-semibold text-[16px] leading-6">Your session has ended</Dialog.Title>
          <Dialog.Description className="mt-1 mb-5 text-[13px] text-muted">
            Log in to continue here. Edits that were not saved yet are stored in this browser.
          </Dialog.Description>
          <LoginForm
            onLogin={async (user) => {
              // The page shows what the other user may see.
              if (before !== undefined && user.id !== before) return window.location.assign('/workflows');
              sessionEnd.renewed();
              live.retryNow();
              await cache.invalidateQueries();
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
