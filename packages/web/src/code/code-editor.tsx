import { setDiagnostics } from '@codemirror/lint';
import { EditorSelection, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { type HandedFocus, takesFocus } from '../ui/assistive/use-handed-focus.ts';
import { changedPart } from './changed-part.ts';
import type { CompletionsAt } from './completion.ts';
import { type Language, languageSetup } from './extensions.ts';
import { OwnTexts } from './own-texts.ts';

/** Where and why a text is wrong. */
export interface CodeProblem {
  readonly offset: number;
  readonly message: string;
}

export interface CodeEditorProps {
  /** The accessible name: a label element cannot refer into the editor. */
  readonly label: string;
  readonly value: string;
  readonly language: Language;
  readonly isMultiline: boolean;
  readonly placeholder?: string | undefined;
  readonly isInvalid?: boolean;
  readonly focus: HandedFocus;
  /** What an empty editor begins with, so that typing continues in its middle. It is not reported, and goes again. */
  readonly frame?: readonly [before: string, after: string] | undefined;
  /** Where typing continues; at the end of the text by default. */
  readonly cursor?: number | undefined;
  readonly problem?: CodeProblem | null;
  readonly completions?: CompletionsAt | undefined;
  readonly onChange: (text: string) => void;
  /** The editor got the focus; the function inserts a text at its cursor. */
  readonly onFocus?: (insert: (text: string) => void) => void;
  readonly onBlur?: () => void;
}

/**
 * An editor for code. It is in a shadow root: there its styles are style sheet objects, which a Content-Security-Policy
 * without inline styles allows.
 */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const own = useMemo(() => new OwnTexts(), []);
  const { language, isMultiline } = props;
  // Before the browser handles the next key, which belongs to this editor if the field before it had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language needs another editor.
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const created = newEditor(root, newest, own);
    view.current = created;
    if (takesFocus(newest.current.focus)) created.focus();
    return () => created.destroy();
  }, [language, isMultiline]);
  useEffect(() => {
    if (view.current !== null && !own.isOwn(props.value)) showValue(view.current, props.value);
  }, [own, props.value]);
  useEffect(() => {
    if (view.current !== null) showProblem(view.current, props.problem ?? null);
  }, [props.problem]);
  return (
    <div
      ref={host}
      className={`rounded-control border bg-surface focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-[-1px] ${props.isInvalid === true ? 'border-danger' : 'border-line-strong'}`}
    />
  );
}

function newEditor(root: ShadowRoot, newest: { readonly current: CodeEditorProps }, own: OwnTexts): EditorView {
  const { value, language, isMultiline, frame, cursor } = newest.current;
  let isFramed = value === '' && frame !== undefined;
  const [before, after] = value === '' && frame !== undefined ? frame : [value, ''];
  // The frame is shown instead of this value.
  own.report(value);
  const insert = (text: string): void => insertAtCursor(view, text);
  const listener = EditorView.updateListener.of((update) => {
    const isTyped = update.transactions.some((transaction) => transaction.annotation(Transaction.remote) !== true);
    if (update.docChanged && isTyped) {
      const text = update.state.doc.toString();
      own.report(text);
      newest.current.onChange(text);
    }
    if (update.docChanged) isFramed = false;
    if (!update.focusChanged) return;
    if (update.view.hasFocus) return newest.current.onFocus?.(insert);
    // Left without a text: what is stored is shown.
    if (isFramed) showValue(update.view, newest.current.value);
    newest.current.onBlur?.();
  });
  const { label, placeholder } = newest.current;
  const setup = languageSetup({
    language,
    isMultiline,
    label,
    placeholder,
    completions: (text, position) => newest.current.completions?.(text, position) ?? null,
  });
  const view = new EditorView({
    doc: before + after,
    selection: EditorSelection.cursor(Math.min(cursor ?? before.length, before.length)),
    extensions: [setup, listener],
    root,
    parent: root,
  });
  return view;
}

/** Shows a value that others changed; the cursor stays at its place in the text. */
function showValue(view: EditorView, value: string): void {
  const before = view.state.doc.toString();
  if (before === value) return;
  view.dispatch({ changes: changedPart(before, value), annotations: Transaction.remote.of(true) });
}

function showProblem(view: EditorView, problem: CodeProblem | null): void {
  const { length } = view.state.doc;
  const from = Math.min(problem?.offset ?? 0, length);
  const found = problem === null ? [] : [{ from, to: Math.min(from + 1, length), message: problem.message }];
  const diagnostics = found.map((one) => ({ ...one, severity: 'error' as const }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function insertAtCursor(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
  view.focus();
}
