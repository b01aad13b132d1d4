import { ChevronDown, ChevronUp, Search } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import type { JsonPath, ValueSearch } from './json-rows.ts';

interface JsonSearchProps {
  readonly search: ValueSearch;
  readonly onShow: (path: JsonPath) => void;
}

/** Finds names and values in a tree: Enter goes to the next one, Shift+Enter to the one before. */
export function JsonSearch({ search: { text, setText, found, isFull }, onShow }: JsonSearchProps) {
  const [at, setAt] = useState(-1);
  const go = (step: number): void => {
    if (found.length === 0) return;
    const next = (at + step + found.length) % found.length;
    setAt(next);
    const path = found[next];
    if (path !== undefined) onShow(path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') setText('');
  };
  return (
    <div className="flex items-center gap-1 pb-1.5 text-[12px]">
      <label className="relative min-w-0 flex-1">
        <span className="sr-only">Search this value</span>
        <Search size={13} className="absolute top-[7px] left-2 text-muted" aria-hidden="true" />
        <input
          type="search"
          value={text}
          placeholder="Search keys and values"
          onChange={({ target }) => {
            setText(target.value);
            setAt(-1);
          }}
          onKeyDown={onKeyDown}
          className="h-7 w-full rounded-control border border-line bg-surface pr-2 pl-7 placeholder:text-muted"
        />
      </label>
      {text.trim() !== '' && (
        <>
          <span role="status" className="whitespace-nowrap text-muted tabular-nums">
            {found.length === 0 ? 'Nothing found' : `${at + 1} of ${found.length}${isFull ? '+' : ''}`}
          </span>
          <StepButton label="Previous match" onPress={() => go(-1)} icon={<ChevronUp size={14} aria-hidden="true" />} />
          <StepButton label="Next match" onPress={() => go(1)} icon={<ChevronDown size={14} aria-hidden="true" />} />
        </>
      )}
    </div>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly onPress: () => void;
  readonly icon: React.ReactNode;
}

function StepButton({ label, onPress, icon }: StepButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onPress}
      className="flex size-7 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
    >
      {icon}
    </button>
  );
}
