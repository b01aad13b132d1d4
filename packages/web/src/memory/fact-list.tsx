import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { type Fact, type FactPlace, factsQuery } from '../api/settings/facts.ts';
import { Button } from '../ui/button.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { textOf } from '../variables/variable-form.ts';
import { FactDialog, RemoveFactsDialog } from './fact-dialog.tsx';

interface Opened {
  readonly action: 'edit' | 'remove';
  /** Null for a new one, or to delete all. */
  readonly fact: Fact | null;
}

/** The facts of a workflow, about a person, or of all workflows of the user. */
export function FactList({ place }: { readonly place: FactPlace }) {
  const [words, setWords] = useState('');
  const { data, error } = useQuery(factsQuery(place, useDeferredValue(words)));
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  const isSearch = words.trim() !== '';
  return (
    <div className="flex flex-col gap-3">
      <input
        type="search"
        aria-label="Search facts"
        placeholder="Search facts"
        className={inputClasses}
        maxLength={1000}
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data?.items.length === 0 && (
        <p className="text-[13px] text-muted">{isSearch ? 'No fact has these words.' : 'There are no facts yet.'}</p>
      )}
      {data !== undefined && data.items.length > 0 && (
        <ul aria-label="Facts" className="divide-y divide-line rounded-control border border-line">
          {data.items.map((fact) => (
            <FactRow key={fact.key} fact={fact} onOpen={setOpened} />
          ))}
        </ul>
      )}
      {data !== undefined && data.items.length < data.total && (
        <p className="text-[13px] text-muted">
          {data.items.length} of {data.total} facts. Search to find others.
        </p>
      )}
      {error === null && (
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Plus size={14} aria-hidden="true" />}
            onClick={() => setOpened({ action: 'edit', fact: null })}
          >
            Add fact
          </Button>
          {!isSearch && data !== undefined && data.total > 1 && (
            <Button
              kind="danger"
              icon={<Trash2 size={14} aria-hidden="true" />}
              onClick={() => setOpened({ action: 'remove', fact: null })}
            >
              Delete all
            </Button>
          )}
        </div>
      )}
      {opened?.action === 'edit' && <FactDialog place={place} fact={opened.fact} onClose={close} />}
      {opened?.action === 'remove' && <RemoveFactsDialog place={place} fact={opened.fact} onClose={close} />}
    </div>
  );
}

interface FactRowProps {
  readonly fact: Fact;
  readonly onOpen: (opened: Opened) => void;
}

function FactRow({ fact, onOpen }: FactRowProps) {
  const { key, value, updated_at: at } = fact;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-[13px]">
      <div className="w-40 shrink-0">
        <div className="truncate font-medium" title={key}>
          {key}
        </div>
        <div className="text-[12px] text-muted">
          <RelativeTime at={at} />
        </div>
      </div>
      <span className="line-clamp-3 min-w-40 flex-1 break-all font-mono text-[12px]">{textOf(value)}</span>
      <Button aria-label={`Edit ${key}`} onClick={() => onOpen({ action: 'edit', fact })}>
        Edit
      </Button>
      <Button kind="danger" aria-label={`Delete ${key}`} onClick={() => onOpen({ action: 'remove', fact })}>
        Delete
      </Button>
    </li>
  );
}
