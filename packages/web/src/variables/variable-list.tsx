import { useQuery } from '@tanstack/react-query';
import { Lock, Plus } from 'lucide-react';
import { useState } from 'react';
import { type Variable, type VariablePlace, variablesQuery } from '../api/settings/variables.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { RemoveVariableDialog, VariableDialog } from './variable-dialog.tsx';
import { textOf } from './variable-form.ts';

type Opened =
  | { readonly action: 'edit'; readonly variable: Variable | null }
  | { readonly action: 'remove'; readonly variable: Variable };

/** The variables of a workflow or of the instance. Secrets show only their masks. */
export function VariableList({ place }: { readonly place: VariablePlace }) {
  const { data, error } = useQuery(variablesQuery(place));
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  return (
    <div className="flex flex-col gap-3">
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data?.length === 0 && <p className="text-[13px] text-muted">There are no variables yet.</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="divide-y divide-line rounded-control border border-line">
          {data.map((variable) => (
            <VariableRow key={variable.name} variable={variable} onOpen={setOpened} />
          ))}
        </ul>
      )}
      {error === null && (
        <div>
          <Button
            icon={<Plus size={14} aria-hidden="true" />}
            onClick={() => setOpened({ action: 'edit', variable: null })}
          >
            Add variable
          </Button>
        </div>
      )}
      {opened?.action === 'edit' && <VariableDialog place={place} variable={opened.variable} onClose={close} />}
      {opened?.action === 'remove' && <RemoveVariableDialog place={place} variable={opened.variable} onClose={close} />}
    </div>
  );
}

interface VariableRowProps {
  readonly variable: Variable;
  readonly onOpen: (opened: Opened) => void;
}

function VariableRow({ variable, onOpen }: VariableRowProps) {
  const { name, is_secret: isSecret, allowed_hosts: hosts = [] } = variable;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-[13px]">
      <code className="w-40 shrink-0 truncate font-medium" title={name}>
        {name}
      </code>
      <div className="min-w-40 flex-1">
        <div className="flex items-center gap-1.5 break-all font-mono text-[12px]">
          {isSecret && <Lock size={13} className="shrink-0 text-muted" role="img" aria-label="Secret" />}
          <span className="line-clamp-2">{textOf(variable.value)}</span>
        </div>
        {isSecret && <div className="text-[12px] text-muted">Sent only to {hosts.join(', ')}</div>}
      </div>
      <Button aria-label={`Edit ${name}`} onClick={() => onOpen({ action: 'edit', variable })}>
        Edit
      </Button>
      <Button kind="danger" aria-label={`Delete ${name}`} onClick={() => onOpen({ action: 'remove', variable })}>
        Delete
      </Button>
    </li>
  );
}
