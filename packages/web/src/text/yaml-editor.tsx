import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useMemo, useRef } from 'react';
import { OwnTexts } from '../code/own-texts.ts';
import { spliceBetween } from './splice.ts';
import type { TextIssue } from './text-session.ts';

interface YamlEditorProps {
  readonly text: string;
  readonly issues: readonly TextIssue[];
  readonly isReadOnly: boolean;
  /** The offset to scroll to; a new object scrolls again. */
  readonly shown: { readonly at: number } | null;
  readonly onChange: (text: string) => void;
  /** The cursor moved, by the person. */
  readonly onCursor: (position: number) => void;
  readonly onBlur: () => void;
}

/** Marks a change that does not come from the person. */
const isOurs = Annotation.define<boolean>();

const colors = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent-strong)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--success)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--waiting)' },
  { tag: tags.comment, color: 'var(--ink-muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: 'var(--ink-muted)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  // The cursor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--surface-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-panels': { backgroundColor: 'var(--surface-sunken)', color: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface-raised)', border: '1px solid var(--line)', color: 'var(--ink)' },
});

/** A field for YAML. The person's edits are reported; other changes of the text leave the cursor in its place. */
export function YamlEditor(props: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const own = useMemo(() => new OwnTexts(), []);
  useEffect(() => {
    if (host.current === null) return;
    const created = newView(host.current, latest, own);
    view.current = created;
    return () => created.destroy();
  }, [own]);
  useEffect(() => {
    if (!own.isOwn(props.text)) showText(view.current, props.text);
  }, [own, props.text]);
  useEffect(() => showIssues(view.current, props.issues), [props.issues]);
  useEffect(() => {
    if (props.shown !== null && view.current !== null) scrollTo(view.current, props.shown.at);
  }, [props.shown]);
  return <div ref={host} className="min-h-0 flex-1 overflow-hidden" />;
}

function newView(parent: HTMLElement, latest: { readonly current: YamlEditorProps }, own: OwnTexts): EditorView {
  const listener = EditorView.updateListener.of((update) => {
    const byPerson = update.transactions.every((transaction) => transaction.annotation(isOurs) !== true);
    if (update.docChanged && byPerson) {
      const text = update.state.doc.toString();
      own.report(text);
      latest.current.onChange(text);
    }
    if (update.selectionSet && !update.docChanged && byPerson && update.view.hasFocus) {
      latest.current.onCursor(update.state.selection.main.head);
    }
    if (update.focusChanged && !update.view.hasFocus) latest.current.onBlur();
  });
  const state = EditorState.create({
    doc: latest.current.text,
    extensions: [
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      lintGutter(),
      yaml(),
      indentUnit.of('  '),
      syntaxHighlighting(colors),
      look,
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, indentWithTab]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'Workflow as YAML' }),
      EditorState.readOnly.of(latest.current.isReadOnly),
      listener,
    ],
  });
  // In a shadow root, CodeMirror adds its style sheets through the DOM, which the Content-Security-Policy allows.
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  return new EditorView({ state, root, parent: root });
}

function showText(view: EditorView | null, text: string): void {
  const splice = view === null ? null : spliceBetween(view.state.doc.toString(), text);
  if (view !== null && splice !== null) view.dispatch({ changes: splice, annotations: isOurs.of(true) });
}

function showIssues(view: EditorView | null, issues: readonly TextIssue[]): void {
  if (view === null) return;
  const { doc } = view.state;
  const diagnostics = issues.map(({ severity, message, line, column }): Diagnostic => {
    const found = doc.line(Math.min(Math.max(1, line), doc.lines));
    const from = Math.min(found.from + column - 1, found.to);
    return { from, to: Math.max(from, found.to), severity, message };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function scrollTo(view: EditorView, at: number): void {
  const position = Math.min(at, view.state.doc.length);
  view.dispatch({
    selection: { anchor: position },
    effects: EditorView.scrollIntoView(position, { y: 'start', yMargin: 40 }),
    annotations: isOurs.of(true),
  });
}
