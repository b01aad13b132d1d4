import { useState } from 'react';
import type { ApiKey } from '../api/settings/account.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { issuedWith, summaryOf } from './issued-with.ts';

interface KeyRowProps {
  readonly apiKey: ApiKey;
  /** All keys of the user. */
  readonly keys: readonly ApiKey[];
  readonly revoke: {
    readonly error: Error | null;
    readonly isPending: boolean;
    mutate(id: number): void;
  };
}

/** A key or session in a list, with a button that revokes it. */
export function KeyRow({ apiKey, keys, revoke }: KeyRowProps) {
  const { id, name, prefix, scope, by_login: isSession } = apiKey;
  const [isAsking, setAsking] = useState(false);
  const others = summaryOf(issuedWith(apiKey, keys));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-40 flex-1 text-[13px]">
        <div className="break-words font-medium">{isSession ? 'Session' : name}</div>
        <div className="text-[12px] text-muted">
          <code>{prefix}…</code> · {scope === 'full' ? 'everything' : 'only webhooks'} · <Times apiKey={apiKey} />
        </div>
      </div>
      <Button
        kind="danger"
        aria-label={isSession ? `End the session ${prefix}` : `Revoke ${name}`}
        onClick={() => setAsking(true)}
      >
        {isSession ? 'End' : 'Revoke'}
      </Button>
      <Dialog
        title={isSession ? 'End this session?' : `Revoke the key ${name}?`}
        isOpen={isAsking}
        onOpenChange={setAsking}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="danger" disabled={revoke.isPending} onClick={() => revoke.mutate(id)}>
              {isSession ? 'End session' : 'Revoke'}
            </Button>
          </>
        }
      >
        <p>
          {isSession ? 'The browser or program is logged out at once.' : 'Programs that use it are rejected at once.'}{' '}
          {others !== null && `This also ends what was created with it: ${others}. `}
          This cannot be undone.
        </p>
        {revoke.error !== null && <Notice kind="error">{revoke.error.message}</Notice>}
      </Dialog>
    </li>
  );
}

function Times({ apiKey: { last_used_at: usedAt, expires_at: expiresAt } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      {usedAt === null ? (
        'never used'
      ) : (
        <>
          used <RelativeTime at={usedAt} />
        </>
      )}
      {expiresAt !== null && (
        <>
          {' '}
          · expires <RelativeTime at={expiresAt} />
        </>
      )}
    </>
  );
}
