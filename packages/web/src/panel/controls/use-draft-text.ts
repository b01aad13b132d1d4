import { useContext, useState } from 'react';
import { FormContext } from './form-context.ts';

/** What a text means: a value, or the reason why it is none. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

interface DraftTextOptions {
  readonly path: string;
  /** The text of the stored value. */
  readonly stored: string;
  readonly read: (text: string) => Reading;
  readonly onChange: (value: unknown) => void;
  readonly onProblem: (problem: string | null) => void;
}

/**
 * A text that must be read before it is a value. A text that cannot be read is not stored; it stays in its field, also
 * when another node is selected in between.
 */
export function useDraftText({ path, stored, read, onChange, onProblem }: DraftTextOptions) {
  const { rejected } = useContext(FormContext);
  const [draft, setDraft] = useState<string | null>(rejected.get(path) ?? null);
  const change = (text: string): void => {
    setDraft(text);
    const reading = read(text);
    if ('problem' in reading) {
      rejected.set(path, text);
      return;
    }
    rejected.delete(path);
    onProblem(null);
    onChange(reading.value);
  };
  const leave = (): void => {
    if (draft === null) return;
    const reading = read(draft);
    if ('problem' in reading) onProblem(reading.problem);
    else setDraft(null);
  };
  return { text: draft ?? stored, change, leave };
}
