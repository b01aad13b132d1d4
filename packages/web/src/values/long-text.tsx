import { classes } from '../ui/classes.ts';

interface LongTextProps {
  readonly text: string;
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly isCode?: boolean;
}

/** Longer texts are folded: the next call of a conversation should stay in view. */
const shownLength = 400;
const shownLines = 8;
/** Characters of a text on the page: more than anybody reads here. The step itself has all of it. */
const maxLength = 20_000;

/** A text as it is, folded if it is long. */
export function LongText({ text, label, isCode = false }: LongTextProps) {
  const isLong = text.length > shownLength || text.split('\n', shownLines + 1).length > shownLines;
  if (!isLong) return <Text text={text} isCode={isCode} />;
  return (
    <details className="min-w-0 text-[13px]">
      <summary className="cursor-pointer rounded-control">
        <span className="sr-only">{label}: </span>
        <span className={classes('text-muted', isCode && 'font-mono text-[12px]')}>{text.slice(0, 120).trim()}…</span>{' '}
        <span className="whitespace-nowrap text-[12px] text-muted">
          ({text.length.toLocaleString('en')} characters)
        </span>
      </summary>
      <div className="mt-1">
        <Text text={text.length > maxLength ? `${text.slice(0, maxLength)}…` : text} isCode={isCode} />
      </div>
    </details>
  );
}

function Text({ text, isCode }: Omit<LongTextProps, 'label'>) {
  return (
    <p
      className={classes(
        'whitespace-pre-wrap break-words [overflow-wrap:anywhere]',
        isCode ? 'rounded-control bg-sunken px-2 py-1 font-mono text-[12px] leading-[18px]' : 'text-[13px]',
      )}
    >
      {text}
    </p>
  );
}

/** Characters of JSON on one line. */
const lineLength = 60;

/** A value as text: JSON unless it is text, on one line if it is short. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  const line = JSON.stringify(value) ?? '';
  return line.length <= lineLength ? line : JSON.stringify(value, null, 2);
}
