import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--waiting)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--success)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--accent-strong)' },
  { tag: tags.comment, color: 'var(--ink-muted)', fontStyle: 'italic' },
]);

/** The look of an editor inside a form, with the colours of the theme. */
export function codeLook(isCode: boolean): Extension {
  return [
    syntaxHighlighting(colours),
    EditorView.theme({
      '&': { fontSize: '13px', color: 'var(--ink)', backgroundColor: 'transparent' },
      '&.cm-focused': { outline: 'none' },
      '.cm-scroller': {
        fontFamily: isCode ? monospace : `var(--default-mono-font-family, ${monospace})`,
        lineHeight: '20px',
        maxHeight: '24rem',
      },
      '.cm-content': { padding: '7px 0', caretColor: 'var(--accent)', minHeight: isCode ? '10rem' : 'auto' },
      '.cm-line': { padding: '0 10px' },
      '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
      '.cm-placeholder': { color: 'var(--ink-muted)' },
      '.cm-embedded': {
        backgroundColor: 'var(--accent-soft)',
        color: 'var(--accent-strong)',
        borderRadius: '3px',
      },
      // In a JSON text the colour of texts would have too little contrast on this background.
      '.cm-embedded span': { color: 'inherit' },
      '.cm-gutters': { backgroundColor: 'var(--surface-sunken)', color: 'var(--ink-muted)', border: 'none' },
      '.cm-tooltip': {
        backgroundColor: 'var(--surface-raised)',
        color: 'var(--ink)',
        border: '1px solid var(--line)',
        borderRadius: '8px',
        boxShadow: '0 8px 24px rgb(0 0 0 / 0.18)',
        overflow: 'hidden',
        zIndex: '60',
      },
      '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: monospace, fontSize: '12px', maxHeight: '16rem' },
      '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px', lineHeight: '18px' },
      '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
        backgroundColor: 'var(--accent-soft)',
        color: 'var(--ink)',
      },
      '.cm-completionDetail': { color: 'var(--ink-muted)', fontStyle: 'normal', marginLeft: '12px' },
      '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: 'var(--accent-strong)' },
      '.cm-completionInfo': { padding: '8px 10px', maxWidth: '20rem', fontSize: '12px' },
    }),
  ];
}

const monospace = 'ui-monospace, "SF Mono", Menlo, Consolas, monospace';
