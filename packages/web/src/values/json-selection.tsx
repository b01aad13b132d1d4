import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { copiedText, type JsonRow, pathText } from './json-rows.ts';

/** A longer text is shown in parts: a browser needs seconds to break a megabyte into lines. */
const maxShown = 20_000;
/** A text of up to this length is readable in its row. */
const shortText = 60;

interface JsonSelectionProps {
  readonly row: JsonRow;
  readonly root: string | undefined;
}

/** The selected row of a tree: its path, its whole text, and buttons that copy it. */
export function JsonSelection({ row, root }: JsonSelectionProps) {
  const { path, value, kind } = row;
  const text = pathText(path);
  return (
    <div className="flex flex-col gap-1.5 pt-1.5">
      <div className="flex flex-wrap items-center gap-x-1">
        <code className="min-w-0 flex-1 truncate text-[12px] text-muted" title={text}>
          {text === '' ? 'Whole value' : text.replace(/^\./, '')}
        </code>
        <CopyButton label="Copy value" text={() => copiedText(value)} />
        {text !== '' && <CopyButton label="Copy path" text={() => text.replace(/^\./, '')} />}
        {root !== undefined && <CopyButton label="Copy expression" text={() => `{{ ${root}${text} }}`} />}
      </div>
      {kind === 'scalar' && typeof value === 'string' && value.length > shortText && <LongText text={value} />}
    </div>
  );
}

function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(maxShown);
  return (
    <div className="max-h-72 overflow-auto rounded-control border border-line bg-surface p-2">
      <pre className="whitespace-pre-wrap break-words font-mono text-[12px] leading-[18px]">{text.slice(0, shown)}</pre>
      {text.length > shown && (
        <button type="button" className="text-[12px] text-accent" onClick={() => setShown(shown + maxShown)}>
          Show more ({(text.length - shown).toLocaleString('en')} characters left)
        </button>
      )}
    </div>
  );
}
