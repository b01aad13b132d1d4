import { type ReactNode, useState } from 'react';

type Json = unknown;

/** The children that are shown at once: more would freeze the page, and nobody reads them. */
const maxChildren = 200;
/** Long texts are cut until they are opened. */
const maxText = 300;

interface JsonTreeProps {
  readonly value: Json;
  /** The levels that are open at first. */
  readonly open?: number;
}

/** A JSON value as a tree. Only the open parts are in the page. */
export function JsonTree({ value, open = 2 }: JsonTreeProps) {
  return (
    <div className="overflow-x-auto font-mono text-[12px] leading-5">
      <Value name={null} value={value} open={open} />
    </div>
  );
}

function Value({ name, value, open }: { readonly name: string | null; readonly value: Json; readonly open: number }) {
  const label = name === null ? null : <span className="text-muted">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="whitespace-pre-wrap break-words">
        {label}
        <Scalar value={value} />
      </div>
    );
  }
  return <Branch label={label} value={value} open={open} />;
}

function Branch({ label, value, open }: { readonly label: ReactNode; readonly value: object; readonly open: number }) {
  const [isOpen, setIsOpen] = useState(open > 0);
  const [shown, setShown] = useState(maxChildren);
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) {
    return (
      <div>
        {label}
        {Array.isArray(value) ? '[]' : '{}'}
      </div>
    );
  }
  return (
    <div>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} className="hover:underline">
        <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
        {label}
        <span className="text-muted">{size}</span>
      </button>
      {isOpen && (
        <div className="ml-1 border-line border-l pl-3">
          {entries.slice(0, shown).map(([key, child]) => (
            <Value key={key} name={key} value={child} open={open - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" className="text-accent" onClick={() => setShown(shown + maxChildren)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Scalar({ value }: { readonly value: Json }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  if (typeof value !== 'string') return <span className="text-accent-strong">{text}</span>;
  if (isWhole || text.length <= maxText) return <span>{text}</span>;
  return (
    <>
      {text.slice(0, maxText)}…{' '}
      <button type="button" className="text-accent" onClick={() => setIsWhole(true)}>
        {text.length - maxText} more characters
      </button>
    </>
  );
}
