import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, EllipsisVertical, ListTree, LoaderCircle, Pencil, PlugZap, Trash2 } from 'lucide-react';
import { type Credential, credentialUsesQuery } from '../api/credentials.ts';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { durationText } from '../ui/time.ts';
import { typeLooks } from './fields.ts';
import { TypeIcon } from './type-choice.tsx';
import { useCredentialTest, useLastTest } from './use-test.ts';

/** What a row can open. */
export type CredentialAction = 'edit' | 'uses' | 'models' | 'delete';

interface CredentialTableProps {
  readonly credentials: readonly Credential[];
  readonly onAction: (action: CredentialAction, credential: Credential) => void;
}

const cell = 'px-4 py-2.5 align-middle';

/** The credentials with their type, their uses and their last test. */
export function CredentialTable({ credentials, onAction }: CredentialTableProps) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className={`${cell} font-medium`}>Name</th>
            <th className={`${cell} font-medium max-md:hidden`}>Type</th>
            <th className={`${cell} font-medium`}>Used by</th>
            <th className={`${cell} font-medium max-sm:hidden`}>Last test</th>
            <th className={`${cell} text-right font-medium max-md:hidden`}>Changed</th>
            <th className={cell}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {credentials.map((credential) => (
            <CredentialRow
              key={credential.id}
              credential={credential}
              onAction={(action) => onAction(action, credential)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CredentialRowProps {
  readonly credential: Credential;
  readonly onAction: (action: CredentialAction) => void;
}

function CredentialRow({ credential, onAction }: CredentialRowProps) {
  const { name, credential_type: type, updated_at: changedAt } = credential;
  const test = useCredentialTest();
  return (
    <tr className="border-line not-last:border-b hover:bg-hover">
      <td className={`${cell} max-w-64`}>
        <button
          type="button"
          className="block min-h-6 max-w-full truncate text-left font-medium hover:underline"
          onClick={() => onAction('edit')}
        >
          {name}
        </button>
        <p className="truncate text-[12px] text-muted">
          <span className="md:hidden">{typeLooks[type].name}</span>
          <span className="max-md:hidden">{placeOf(credential)}</span>
        </p>
        {type === 'llm' && (
          <div className="mt-1 text-[12px] sm:hidden">
            <LastTest credential={credential} isTesting={test.isPending} error={test.error} />
          </div>
        )}
      </td>
      <td className={`${cell} max-md:hidden`}>
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-[13px]">
          <TypeIcon type={type} /> {typeLooks[type].name}
        </span>
      </td>
      <td className={`${cell} whitespace-nowrap text-[13px]`}>
        <UseCount id={credential.id} onOpen={() => onAction('uses')} />
      </td>
      <td className={`${cell} text-[13px] max-sm:hidden`}>
        {type === 'llm' ? (
          <LastTest credential={credential} isTesting={test.isPending} error={test.error} />
        ) : (
          <span className="text-muted">No test for this type</span>
        )}
      </td>
      <td className={`${cell} whitespace-nowrap text-right text-muted max-md:hidden`}>
        <RelativeTime at={changedAt} />
      </td>
      <td className={`${cell} w-12 text-right`}>
        <RowMenu credential={credential} onTest={() => test.mutate(credential)} onAction={onAction} />
      </td>
    </tr>
  );
}

/** Where the secret of a credential is sent. */
function placeOf(credential: Credential): string {
  if (credential.credential_type === 'llm') return credential.detail.base_url || 'Public address of the provider';
  if (credential.credential_type === 'git') return credential.detail.provider;
  if (credential.credential_type === 'chat_bot') return 'Chat platform';
  const { allowed_hosts: hosts } = credential.detail.config;
  return Array.isArray(hosts) ? hosts.join(', ') : 'No allowed hosts';
}

function UseCount({ id, onOpen }: { readonly id: number; readonly onOpen: () => void }) {
  const { data } = useQuery(credentialUsesQuery(id));
  if (data === undefined) return <span className="text-muted">…</span>;
  if (data.total === 0 && !data.hasHidden) return <span className="text-muted">No node</span>;
  const text = data.total === 1 ? '1 node' : `${data.total}${data.hasHidden ? '+' : ''} nodes`;
  return (
    <button type="button" className="min-h-6 text-accent hover:underline" onClick={onOpen}>
      {text}
    </button>
  );
}

interface LastTestProps {
  readonly credential: Credential;
  readonly isTesting: boolean;
  readonly error: Error | null;
}

function LastTest({ credential, isTesting, error }: LastTestProps) {
  const last = useLastTest(credential);
  if (isTesting) {
    return (
      <span role="status" className="inline-flex items-center gap-1.5">
        <LoaderCircle size={15} className="animate-spin text-accent" aria-hidden="true" /> Testing…
      </span>
    );
  }
  if (error !== null) return <span className="text-danger">{error.message}</span>;
  if (last === null) return <span className="text-muted">Not tested</span>;
  const Icon = last.ok ? CircleCheck : CircleX;
  return (
    <span role="status" className="flex items-start gap-1.5" title={last.message}>
      <Icon size={15} className={`mt-0.5 shrink-0 ${last.ok ? 'text-success' : 'text-danger'}`} aria-hidden="true" />
      <span className="min-w-0">
        <span className="whitespace-nowrap">
          {last.ok ? `Works · ${durationText(last.latencyMs)}` : 'Failed'}{' '}
          <span className="text-muted">
            <RelativeTime at={new Date(last.at).toISOString()} />
          </span>
        </span>
        {!last.ok && <span className="line-clamp-2 break-words text-[12px] text-muted">{last.message}</span>}
      </span>
    </span>
  );
}

interface RowMenuProps extends CredentialRowProps {
  readonly onTest: () => void;
}

function RowMenu({ credential: { name, credential_type: type }, onTest, onAction }: RowMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={`Actions for ${name}`}
        className="inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
      >
        <EllipsisVertical size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-40">
          <Menu.Popup className={menuPopupClasses}>
            <Menu.Item className={menuItemClasses} onClick={() => onAction('edit')}>
              <Pencil size={14} aria-hidden="true" /> Edit
            </Menu.Item>
            {type === 'llm' && (
              <>
                <Menu.Item className={menuItemClasses} onClick={onTest}>
                  <PlugZap size={14} aria-hidden="true" /> Test
                </Menu.Item>
                <Menu.Item className={menuItemClasses} onClick={() => onAction('models')}>
                  <ListTree size={14} aria-hidden="true" /> Models
                </Menu.Item>
              </>
            )}
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={`${menuItemClasses} text-danger`} onClick={() => onAction('delete')}>
              <Trash2 size={14} aria-hidden="true" /> Delete
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
