import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { type Credential, type CredentialType, credentialsQuery, credentialUsesQuery } from '../api/credentials.ts';
import { CredentialDialog } from '../credentials/credential-dialog.tsx';
import { type CredentialAction, CredentialTable } from '../credentials/credential-table.tsx';
import { DeleteDialog } from '../credentials/delete-dialog.tsx';
import { isCredentialType } from '../credentials/fields.ts';
import { ModelsDialog } from '../credentials/models-dialog.tsx';
import { UseList } from '../credentials/use-list.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

/** The dialog that is open. */
type Opened =
  | { readonly action: 'new'; readonly type: CredentialType | null }
  | { readonly action: CredentialAction; readonly credential: Credential };

/** The credentials of the installation. `?new=TYPE` in the address opens the dialog for a new one. */
export function CredentialsPage() {
  const wanted = useSearch({ from: '/app/credentials' }).new;
  const navigate = useNavigate({ from: '/credentials' });
  const { data, error, isPending } = useQuery(credentialsQuery);
  const [opened, setOpened] = useState<Opened | null>(
    wanted === undefined ? null : { action: 'new', type: isCredentialType(wanted) ? wanted : null },
  );
  const close = (): void => {
    setOpened(null);
    if (wanted !== undefined) void navigate({ search: {}, replace: true });
  };
  const create = (
    <Button
      kind="primary"
      icon={<Plus size={16} aria-hidden="true" />}
      onClick={() => setOpened({ action: 'new', type: null })}
    >
      New credential
    </Button>
  );
  return (
    <>
      <PageHeader title="Credentials">{create}</PageHeader>
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={4} />}
        {data?.length === 0 && (
          <EmptyState icon={<KeyRound size={32} aria-hidden="true" />} title="No credentials yet" action={create}>
            A credential stores the key of a model provider or another service, encrypted. Nodes use it by name, so no
            workflow contains a secret.
          </EmptyState>
        )}
        {data !== undefined && data.length > 0 && (
          <>
            <p className="text-[13px] text-muted">
              All users of this installation can use these credentials in their workflows. Nobody can read the secrets.
            </p>
            <CredentialTable credentials={data} onAction={(action, credential) => setOpened({ action, credential })} />
          </>
        )}
      </div>
      {opened !== null && <OpenedDialog opened={opened} onClose={close} />}
    </>
  );
}

function OpenedDialog({ opened, onClose }: { readonly opened: Opened; readonly onClose: () => void }) {
  if (opened.action === 'new') return <CredentialDialog credential={null} type={opened.type} onClose={onClose} />;
  const { action, credential } = opened;
  if (action === 'edit') return <CredentialDialog credential={credential} onClose={onClose} />;
  if (action === 'models') return <ModelsDialog credential={credential} onClose={onClose} />;
  if (action === 'delete') return <DeleteDialog credential={credential} onClose={onClose} />;
  return <UsesDialog credential={credential} onClose={onClose} />;
}

function UsesDialog({ credential, onClose }: { readonly credential: Credential; readonly onClose: () => void }) {
  const { data, error } = useQuery(credentialUsesQuery(credential.id));
  return (
    <Dialog title={`Where ${credential.name} is used`} isOpen onOpenChange={onClose}>
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined ? <SkeletonRows rows={2} /> : <UseList found={data} />}
    </Dialog>
  );
}
