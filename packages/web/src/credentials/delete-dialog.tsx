import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Credential, credentialsKey, credentialUsesQuery, deleteCredential } from '../api/credentials.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { UseList } from './use-list.tsx';

interface DeleteDialogProps {
  readonly credential: Credential;
  readonly onClose: () => void;
}

/** Deletes a credential. If nodes use it, they are listed first. */
export function DeleteDialog({ credential, onClose }: DeleteDialogProps) {
  const uses = useQuery({ ...credentialUsesQuery(credential.id), refetchOnMount: 'always' });
  const { error, refetch } = uses;
  // What the list has read may be old, and a wrong answer would be dangerous here.
  const data = uses.isFetchedAfterMount ? uses.data : undefined;
  const isUsed = data !== undefined && (data.total > 0 || data.hasHidden);
  const cache = useQueryClient();
  const removal = useMutation({
    mutationFn: () => deleteCredential(credential.id, isUsed),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: credentialsKey });
      onClose();
    },
    // The usual reason is that a node has used it since the list was read.
    onError: () => void refetch(),
  });
  const failure = error ?? removal.error;
  return (
    <Dialog
      title={`Delete ${credential.name}?`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={data === undefined || removal.isPending} onClick={() => removal.mutate()}>
            {isUsed ? 'Delete anyway' : 'Delete'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 pt-1 text-[14px]">
        {data === undefined && error === null && <SkeletonRows rows={1} />}
        {isUsed ? (
          <>
            <Notice kind="warning">
              {data.total === 1 ? '1 node uses' : `${data.total} nodes use`} this credential. Without it, their runs
              fail until you choose another one.
            </Notice>
            <UseList found={data} />
          </>
        ) : (
          data !== undefined && <p>No node uses it. Its secrets are deleted and cannot be restored.</p>
        )}
        {failure !== null && <Notice kind="error">{failure.message}</Notice>}
      </div>
    </Dialog>
  );
}
