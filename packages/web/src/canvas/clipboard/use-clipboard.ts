import { useEffect, useRef } from 'react';
import { isElsewhere } from '../../commands/key-place.ts';
import { type Fragment, fragmentFrom, portable } from './fragment.ts';
import { yamlText } from './yaml-text.ts';

interface ClipboardActions {
  /** The selected part of the graph; null if nothing is selected. */
  readonly copied: () => Fragment | null;
  readonly cut: () => void;
  readonly paste: (fragment: Fragment) => void;
  readonly onProblem: (message: string) => void;
}

/** The fragment that this page copied last, with its credentials: they are not part of the text. */
let last: { readonly text: string; readonly fragment: Fragment } | null = null;

/** Copies, cuts and pastes parts of the graph as YAML. Text that is selected on the page is copied as usual. */
export function useClipboard(actions: ClipboardActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const copy = (event: ClipboardEvent): void => {
      if (isElsewhere(event) || document.getSelection()?.isCollapsed === false) return;
      const fragment = latest.current.copied();
      if (fragment === null) return;
      const { nodes, edges } = portable(fragment);
      const text = yamlText({ nodes, edges });
      last = { text, fragment };
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      if (event.type === 'cut') latest.current.cut();
    };
    const paste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (isElsewhere(event) || text === '') return;
      event.preventDefault();
      void pastedFragment(text).then((fragment) => {
        if (fragment === null) latest.current.onProblem('The clipboard contains no nodes.');
        else latest.current.paste(fragment);
      });
    };
    document.addEventListener('copy', copy);
    document.addEventListener('cut', copy);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('cut', copy);
      document.removeEventListener('paste', paste);
    };
  }, []);
}

/** The fragment in a text, which is YAML or JSON. */
async function pastedFragment(text: string): Promise<Fragment | null> {
  if (last?.text === text) return last.fragment;
  const { parse } = await import('yaml');
  try {
    // The limit protects the page from a text that refers to its own parts again and again.
    return fragmentFrom(parse(text, { maxAliasCount: 0 }));
  } catch {
    return null;
  }
}
