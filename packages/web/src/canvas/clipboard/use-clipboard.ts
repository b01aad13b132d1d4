import { type RefObject, useEffect, useRef } from 'react';
import { isElsewhere } from '../../commands/key-place.ts';
import { useCommands } from '../../commands/use-commands.ts';
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
  useCommands(menuCommands(latest));
}

/** The same for a menu, whose commands are no events of the clipboard: the browser may not allow them. */
function menuCommands(latest: RefObject<ClipboardActions>) {
  const copy = (then?: () => void) => (): void => {
    const fragment = latest.current.copied();
    if (fragment === null) return;
    const { nodes, edges } = portable(fragment);
    const text = yamlText({ nodes, edges });
    written(text).then(
      () => {
        last = { text, fragment };
        then?.();
      },
      () => latest.current.onProblem('The browser allows copying only with its own keys here: Ctrl+C, or ⌘C.'),
    );
  };
  const paste = async (): Promise<void> => {
    const fragment = await pastedFragment(await navigator.clipboard.readText());
    if (fragment === null) latest.current.onProblem('The clipboard contains no nodes.');
    else latest.current.paste(fragment);
  };
  const pasteRejected = (): void =>
    latest.current.onProblem('The browser allows pasting only with its own keys here: Ctrl+V, or ⌘V.');
  return {
    'node.copy': { run: copy() },
    'node.cut': { run: copy(() => latest.current.cut()) },
    'graph.paste': { run: () => void paste().catch(pasteRejected) },
  };
}

/** @throws Error if the page may not write to the clipboard: it may on HTTPS and on the same machine */
async function written(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/** The fragment in a text, which is YAML or JSON. */
async function pastedFragment(text: string): Promise<Fragment | null> {
  if (last?.text === text) return last.fragment;
  const { parse } = await import('yaml');
  try {
    // The limit protects the page from a text that refers to its own parts again and again.
    return fragmentFrom(parse(text, { maxAliasCount: 0, logLevel: 'error' }));
  } catch {
    return null;
  }
}
