import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  placeholder as placeholderOf,
  ViewPlugin,
} from '@codemirror/view';
import type { CompletionsAt } from './completion.ts';
import { codeLook } from './look.ts';

/** What a text is written in: `template` is text with expressions in braces. */
export type Language = 'template' | 'expression' | 'javascript' | 'typescript' | 'json' | 'plain';

interface LanguageSetup {
  readonly language: Language;
  readonly isMultiline: boolean;
  readonly label: string;
  readonly placeholder: string | undefined;
  readonly completions: CompletionsAt;
}

/** The extensions of an editor for a language. */
export function languageSetup({ language, isMultiline, label, placeholder, completions }: LanguageSetup): Extension {
  const isCode = language === 'javascript' || language === 'typescript';
  return [
    codeLook(isCode),
    history(),
    // Tab leaves every field except those for code, which Escape and then Tab leaves.
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...(isCode ? [indentWithTab] : [])]),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocorrect: 'off' }),
    placeholder === undefined ? [] : placeholderOf(placeholder),
    isMultiline ? EditorView.lineWrapping : oneLine,
    completing(completions),
    ...languageParts(language),
  ];
}

function languageParts(language: Language): readonly Extension[] {
  switch (language) {
    case 'javascript':
    case 'typescript':
      return [
        javascript({ typescript: language === 'typescript' }),
        lineNumbers(),
        bracketMatching(),
        closeBrackets(),
        indentOnInput(),
      ];
    case 'json':
      // Inside of a text in quotes, only the braces of expressions are closed.
      return [json(), markedExpressions, bracketMatching(), typedOver, closedBraces, closeBrackets()];
    case 'template':
      return [markedExpressions, typedOver, closedBraces];
    case 'expression':
      return [bracketMatching()];
    case 'plain':
      return [];
  }
}

/** Text without line breaks: those of a pasted text become spaces. */
const oneLine: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replace(/\s*\n\s*/g, ' ');
  const { length } = transaction.startState.doc;
  return { changes: { from: 0, to: length, insert: text }, selection: { anchor: text.length } };
});

const marker = new MatchDecorator({
  regexp: /\{\{.*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-embedded' }),
});

/** Shows expressions in a text as such. */
const markedExpressions = ViewPlugin.define(
  (view) => ({
    decorations: marker.createDeco(view),
    update(update) {
      this.decorations = marker.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

/** Typing what was inserted goes over it: the closing braces, and the spaces inside the braces. */
const typedOver = EditorView.inputHandler.of((view, from, to, text) => {
  if (from !== to) return false;
  const { state } = view;
  const before = state.sliceDoc(0, from);
  const after = state.sliceDoc(from, from + 3);
  if (before.lastIndexOf('{{') <= before.lastIndexOf('}}')) return false;
  const isBrace = text === '}' && after.startsWith('}');
  const isSpace = text === ' ' && after === ' }}';
  if (!isBrace && !isSpace) return false;
  // After the opening braces the inserted space already is the one that is typed.
  if (isBrace || !before.endsWith('{{ ')) view.dispatch({ selection: { anchor: from + 1 }, userEvent: 'select' });
  return true;
});

/** Two opening braces get their closing ones, and the suggestions. */
const closedBraces = EditorView.inputHandler.of((view, from, to, text) => {
  const before = view.state.sliceDoc(Math.max(0, from - 1), from);
  const after = view.state.sliceDoc(to, to + 2);
  if (text !== '{' || before !== '{' || after.includes('}')) return false;
  view.dispatch({ changes: { from, to, insert: '{  }}' }, selection: { anchor: from + 2 }, userEvent: 'input.type' });
  startCompletion(view);
  return true;
});

const iconNames = { node: 'class', port: 'property', key: 'property', name: 'variable', function: 'function' } as const;

function completing(completions: CompletionsAt): Extension {
  const source = ({ state, pos }: CompletionContext): CompletionResult | null => {
    const found = completions(state.doc.toString(), pos);
    if (found === null) return null;
    const options = found.options.map(({ label, apply, kind, detail, info }, index) => ({
      label,
      type: iconNames[kind],
      // In the order of the source, of equal matches.
      boost: -index / 100,
      ...(apply !== undefined && { apply: applied(apply) }),
      ...(detail !== undefined && { detail }),
      ...(info !== undefined && { info }),
    }));
    return { from: found.from, options, validFor: /^\w*$/ };
  };
  return autocompletion({ override: [source], activateOnTyping: true });
}

/** Inserts a suggestion. Brackets replace the dot before them. */
function applied(text: string): NonNullable<Completion['apply']> {
  if (!text.startsWith('[')) return text;
  return (view, _completion, from, to) =>
    view.dispatch({ changes: { from: from - 1, to, insert: text }, selection: { anchor: from - 1 + text.length } });
}
