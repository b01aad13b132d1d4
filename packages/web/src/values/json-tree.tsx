import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { classes } from '../ui/classes.ts';
import {
  type JsonPath,
  type JsonRow,
  matchesIn,
  opened,
  rowsOf,
  scalarText,
  type Toggled,
  type ValueSearch,
} from './json-rows.ts';
import { JsonSearch } from './json-search.tsx';
import { JsonSelection } from './json-selection.tsx';

const rowHeight = 22;
/** Longer texts are cut in their row; the selected row shows all of it below the tree. */
const maxRowText = 160;
/** The search stops after this many: nobody visits more. */
const maxMatches = 1000;

interface JsonTreeProps {
  readonly value: unknown;
  /** What the tree shows, for screen readers. */
  readonly label: string;
  /** The levels that are open at first. */
  readonly openDepth?: number;
  /** How expressions name the whole value, for example `{{ fetch }}`; without it, no expression can be copied. */
  readonly root?: string;
  /** The height that the tree may take. By default, it takes that of its rows up to a limit. */
  readonly className?: string;
}

/** A JSON value as a tree. Only the rows in view are in the page, so that large values open at once. */
export function JsonTree({ value, label, openDepth = 2, root, className = 'max-h-[26rem]' }: JsonTreeProps) {
  const [toggled, setToggled] = useState<Toggled>(new Set());
  const [selected, setSelected] = useState('$');
  const rows = useMemo(() => rowsOf(value, toggled, openDepth), [value, toggled, openDepth]);
  const search = useSearch(value);
  const active = rows.find(({ id }) => id === selected) ?? rows[0];
  const show = (path: JsonPath): void => {
    const next = opened(value, { toggled, openDepth }, path);
    setToggled(next);
    const found = rowsOf(value, next, openDepth).find((row) => row.kind !== 'range' && samePath(row.path, path));
    if (found !== undefined) setSelected(found.id);
  };
  const toggle = (id: string): void => {
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  };
  const isTree = typeof value === 'object' && value !== null;
  return (
    <div className="flex min-h-0 min-w-0 flex-col">
      {isTree && <JsonSearch search={search} onShow={show} />}
      <TreeRows
        rows={rows}
        label={label}
        active={active?.id ?? '$'}
        matches={search.ids}
        onSelect={setSelected}
        onToggle={toggle}
        className={className}
      />
      {active !== undefined && <JsonSelection row={active} root={root} />}
    </div>
  );
}

function useSearch(value: unknown): ValueSearch {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const found = useMemo(() => matchesIn(value, wanted, maxMatches), [value, wanted]);
  const ids = useMemo(() => new Set(found.map(rowId)), [found]);
  return { text, setText, found, isFull: found.length === maxMatches, ids };
}

function rowId(path: JsonPath): string {
  return ['$', ...path.map((name) => (typeof name === 'number' ? String(name) : JSON.stringify(name)))].join('/');
}

function samePath(a: JsonPath, b: JsonPath): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

interface TreeRowsProps {
  readonly rows: readonly JsonRow[];
  readonly label: string;
  readonly active: string;
  readonly matches: ReadonlySet<string>;
  readonly onSelect: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly className: string;
}

function TreeRows({ rows, label, active, matches, onSelect, onToggle, className }: TreeRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const index = Math.max(
    0,
    rows.findIndex(({ id }) => id === active),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  useEffect(() => {
    if (index > 0) virtual.scrollToIndex(index);
  }, [index, virtual]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movedBy(event.key, rows, index);
    if (next === null) return;
    event.preventDefault();
    if (next.toggle !== undefined) onToggle(next.toggle);
    if (next.select !== undefined) onSelect(next.select);
  };
  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={`${treeId}-${index}`}
      onKeyDown={onKeyDown}
      className={classes(
        'min-h-0 overflow-auto rounded-control border border-line bg-sunken font-mono text-[12px]',
        className,
      )}
    >
      <div className="relative min-w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const row = rows[at];
          if (row === undefined) return null;
          return (
            <TreeRow
              key={row.id}
              row={row}
              id={`${treeId}-${at}`}
              top={start}
              isActive={at === index}
              isMatch={matches.has(row.id)}
              onSelect={() => onSelect(row.id)}
              onToggle={() => onToggle(row.id)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Move {
  readonly select?: string | undefined;
  readonly toggle?: string;
}

/** What a key does in the tree, as in other trees of the web. */
function movedBy(key: string, rows: readonly JsonRow[], index: number): Move | null {
  const row = rows[index];
  if (row === undefined) return null;
  switch (key) {
    case 'ArrowDown':
      return { select: rows[index + 1]?.id };
    case 'ArrowUp':
      return { select: rows[index - 1]?.id };
    case 'Home':
      return { select: rows[0]?.id };
    case 'End':
      return { select: rows.at(-1)?.id };
    case 'Enter':
    case ' ':
      return row.size > 0 ? { toggle: row.id } : {};
    case 'ArrowRight':
      if (row.size === 0) return {};
      return row.isOpen ? { select: rows[index + 1]?.id } : { toggle: row.id };
    case 'ArrowLeft':
      if (row.isOpen) return { toggle: row.id };
      return { select: rows.slice(0, index).findLast(({ depth }) => depth < row.depth)?.id };
    default:
      return null;
  }
}

interface TreeRowProps {
  readonly row: JsonRow;
  readonly id: string;
  readonly top: number;
  readonly isActive: boolean;
  readonly isMatch: boolean;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
}

function TreeRow({ row, id, top, isActive, isMatch, onSelect, onToggle }: TreeRowProps) {
  const { depth, name, size, isOpen, kind } = row;
  const press = (): void => {
    onSelect();
    if (size > 0) onToggle();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its rows.
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isActive}
      {...(size > 0 && { 'aria-expanded': isOpen })}
      onClick={press}
      className={classes(
        'absolute flex w-max min-w-full cursor-default items-center whitespace-pre pr-3 hover:bg-hover',
        isActive && 'bg-accent-soft',
        isMatch && 'font-semibold text-accent-strong',
      )}
      style={{ top, height: rowHeight, paddingLeft: 6 + depth * 14 }}
    >
      <ChevronRight
        size={12}
        className={classes('mr-0.5 shrink-0 text-muted', size === 0 && 'invisible', isOpen && 'rotate-90')}
        aria-hidden="true"
      />
      {name !== null && <span className={kind === 'range' ? 'text-muted' : 'text-ink'}>{name}</span>}
      {name !== null && kind !== 'range' && <span className="text-muted">: </span>}
      <RowValue row={row} />
    </div>
  );
}

function RowValue({ row: { value, kind, size, isOpen } }: { readonly row: JsonRow }) {
  if (kind === 'range') return <span className="text-muted"> ({size})</span>;
  if (kind === 'scalar') return <span className={scalarLook(value)}>{scalarText(value, maxRowText)}</span>;
  const [start, end] = kind === 'array' ? ['[', ']'] : ['{', '}'];
  const unit = kind === 'array' ? (size === 1 ? 'item' : 'items') : size === 1 ? 'key' : 'keys';
  if (size === 0) return <span className="text-muted">{`${start}${end}`}</span>;
  return <span className="text-muted">{isOpen ? `${size} ${unit}` : `${start}…${end} ${size} ${unit}`}</span>;
}

/** Scalars differ by their form (quotes, digits, words); the colour only helps to scan them. */
function scalarLook(value: unknown): string {
  if (typeof value === 'string') return 'text-success';
  if (typeof value === 'number') return 'text-accent-strong';
  return 'text-waiting';
}
