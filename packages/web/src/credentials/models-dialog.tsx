import { searchText } from '@millrace/core/search-text';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Credential, credentialModelsQuery } from '../api/credentials.ts';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { CopyButton } from '../values/copy-button.tsx';

interface ModelsDialogProps {
  readonly credential: Credential;
  readonly onClose: () => void;
}

/** The models that the provider of a credential lists. */
export function ModelsDialog({ credential, onClose }: ModelsDialogProps) {
  const [search, setSearch] = useState('');
  const { data, error, isPending } = useQuery(credentialModelsQuery(credential.id));
  const wanted = searchText(search.trim());
  const shown = (data ?? []).filter(({ id, name }) => searchText(`${id} ${name}`).includes(wanted));
  return (
    <Dialog
      title={`Models of ${credential.name}`}
      description="As the provider lists them for this key."
      isOpen
      onOpenChange={onClose}
    >
      <div className="flex flex-col gap-3 pt-1">
        {isPending && <SkeletonRows rows={4} />}
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {data?.length === 0 && (
          <Notice kind="warning">
            The provider lists no models. Test the credential to see why; a node accepts any model name nevertheless.
          </Notice>
        )}
        {data !== undefined && data.length > 0 && (
          <>
            <label>
              <span className="sr-only">Search models</span>
              <input
                type="search"
                className={inputClasses}
                placeholder={`Search ${data.length} models`}
                value={search}
                onChange={({ target }) => setSearch(target.value)}
              />
            </label>
            <ul className="flex flex-col">
              {shown.map(({ id, name }) => (
                <li key={id} className="flex items-center gap-2 border-line py-1 not-last:border-b">
                  <span className="min-w-0 flex-1 break-all font-mono text-[13px]">{id}</span>
                  {name !== id && <span className="text-[12px] text-muted">{name}</span>}
                  <CopyButton label="Copy" text={() => id} />
                </li>
              ))}
            </ul>
            {shown.length === 0 && <p className="text-muted">No model contains “{search}”.</p>}
          </>
        )}
      </div>
    </Dialog>
  );
}
