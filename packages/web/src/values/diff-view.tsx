import { ArrowRight, Minus, MoveRight, Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type JsonChange, jsonDiff } from './json-diff.ts';
import { pathText, scalarText } from './json-rows.ts';
import { textDiff } from './sequence-diff.ts';

interface DiffViewProps {
  readonly before: unknown;
  readonly after: unknown;
}

/** The parts of two values that differ. */
export function DiffView({ before, after }: DiffViewProps) {
  const changes = useMemo(() => jsonDiff(before, after), [before, after]);
  if (changes.length === 0) return <p className="text-[13px] text-muted">No difference.</p>;
  return (
    <ul className="flex flex-col divide-y divide-line rounded-control border border-line">
      {changes.map((change) => (
        <li key={`${change.kind} ${pathText(change.path)}`} className="flex flex-col gap-1 px-3 py-2 text-[12px]">
          <ChangeTitle change={change} />
          <ChangeValues change={change} />
        </li>
      ))}
    </ul>
  );
}

const titles: Readonly<Record<JsonChange['kind'], { readonly text: string; readonly icon: ReactNode }>> = {
  added: { text: 'Added', icon: <Plus size={13} className="text-success" aria-hidden="true" /> },
  removed: { text: 'Removed', icon: <Minus size={13} className="text-danger" aria-hidden="true" /> },
  changed: { text: 'Changed', icon: <ArrowRight size={13} className="text-accent" aria-hidden="true" /> },
  moved: { text: 'Moved', icon: <MoveRight size={13} className="text-muted" aria-hidden="true" /> },
};

function ChangeTitle({ change: { kind, path, from } }: { readonly change: JsonChange }) {
  const { text, icon } = titles[kind];
  const name = pathText(path).replace(/^\./, '');
  return (
    <p className="flex flex-wrap items-center gap-1.5">
      {icon}
      <span className="font-medium">{text}</span>
      <code className="min-w-0 break-all text-muted">{name === '' ? 'Whole value' : name}</code>
      {from !== undefined && <span className="text-muted">from {pathText(from).replace(/^\./, '')}</span>}
    </p>
  );
}

/** Longer or many-lined texts are compared word by word. */
const longText = 60;
/** A side of a change is cut: the tree of the run shows all of it. */
const maxShown = 4000;

function ChangeValues({ change: { kind, before, after } }: { readonly change: JsonChange }) {
  if (kind === 'moved') return null;
  if (kind === 'changed' && isLong(before) && isLong(after)) return <TextChange before={before} after={after} />;
  return (
    <div className="grid gap-1 sm:grid-cols-2">
      {kind !== 'added' && <Side mark="−" look="bg-danger-soft" value={before} />}
      {kind !== 'removed' && <Side mark="+" look="bg-success-soft sm:col-start-2" value={after} />}
    </div>
  );
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && (value.length > longText || value.includes('\n'));
}

interface SideProps {
  readonly mark: string;
  readonly look: string;
  readonly value: unknown;
}

function Side({ mark, look, value }: SideProps) {
  const isScalar = typeof value !== 'object' || value === null;
  const text = isScalar ? scalarText(value, maxShown) : JSON.stringify(value, null, 2).slice(0, maxShown);
  return (
    <pre
      className={`max-h-60 overflow-auto whitespace-pre-wrap break-words rounded-control px-2 py-1 font-mono ${look}`}
    >
      <span className="select-none text-muted">{mark} </span>
      {text}
    </pre>
  );
}

function TextChange({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => textDiff(before, after), [before, after]);
  return (
    <pre className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-control bg-sunken px-2 py-1 font-mono leading-[18px]">
      {parts.map(({ kind, text }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity but their place.
        if (kind === 'same') return <span key={index}>{shortened(text)}</span>;
        const Mark = kind === 'added' ? 'ins' : 'del';
        const look = kind === 'added' ? 'bg-success-soft underline' : 'bg-danger-soft line-through';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity but their place.
          <Mark key={index} className={look}>
            {text}
          </Mark>
        );
      })}
    </pre>
  );
}

/** Of a long unchanged part, its ends. */
function shortened(text: string): string {
  const ends = 300;
  return text.length <= 3 * ends ? text : `${text.slice(0, ends)}\n[…]\n${text.slice(-ends)}`;
}
