import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keysOfUserQuery, revokeAllKeysOfUser, revokeKeyOfUser } from '../api/settings/account.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { KeyRow } from './key-row.tsx';

interface UserKeysProps {
  readonly username: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The keys and sessions of a user, for admins: when somebody leaves or has lost a laptop. */
export function UserKeys({ username, isOpen, onOpenChange }: UserKeysProps) {
  const query = keysOfUserQuery(username);
  const { data, error } = useQuery({ ...query, enabled: isOpen });
  const cache = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const onSuccess = () => {
    setAsking(false);
    return cache.invalidateQueries({ queryKey: query.queryKey });
  };
  const revoke = useMutation({ mutationFn: (id: number) => revokeKeyOfUser(username, id), onSuccess });
  const revokeAll = useMutation({ mutationFn: () => revokeAllKeysOfUser(username), onSuccess });
  return (
    <Dialog
      title={`Keys and sessions of ${username}`}
      description="A user with a password can log in again after they are revoked."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isWide
      actions={
        isAsking ? (
          <>
            <p className="mr-auto text-[13px]">Their programs are rejected at once. This cannot be undone.</p>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="danger" disabled={revokeAll.isPending} onClick={() => revokeAll.mutate()}>
              Revoke all {data?.length}
            </Button>
          </>
        ) : (
          <Button kind="danger" disabled={!data?.length} onClick={() => setAsking(true)}>
            Revoke all…
          </Button>
        )
      }
    >
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {revokeAll.error !== null && <Notice kind="error">{revokeAll.error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data?.length === 0 && <p className="text-[13px] text-muted">There are no keys and sessions.</p>}
      {data !== undefined && data.length > 0 && (
        <ul
          aria-label={`Keys and sessions of ${username}`}
          className="divide-y divide-line rounded-control border border-line"
        >
          {data.map((key) => (
            <KeyRow key={key.id} apiKey={key} keys={data} revoke={revoke} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
