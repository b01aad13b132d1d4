/** The part of a key press that is used. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** The modifiers and the key of `Mod+Shift+L`. The key itself may be a plus. */
function partsOf(keys: string): readonly string[] {
  return keys === '+' ? ['+'] : keys.split('+');
}

/** Whether a press is that of these keys. */
export function isPressed({ key, ctrlKey, metaKey, shiftKey, altKey }: Press, keys: string): boolean {
  const parts = partsOf(keys);
  const wanted = parts.at(-1)?.toLowerCase();
  // A sign such as ? may need Shift, depending on the keyboard.
  const isSign = wanted !== undefined && !/^[a-z0-9]+$/.test(wanted);
  return (
    key.toLowerCase() === wanted &&
    (ctrlKey || metaKey) === parts.includes('Mod') &&
    !(ctrlKey && metaKey) &&
    altKey === parts.includes('Alt') &&
    (isSign || shiftKey === parts.includes('Shift'))
  );
}

/** Whether keys are one character without a modifier: speech input can press those by mistake (WCAG 2.1.4). */
export function isSingleKey(keys: string): boolean {
  return keys.length === 1;
}

const symbols: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Delete: 'Del',
  Escape: 'Esc',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
};

const macSymbols: Readonly<Record<string, string>> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↵' };

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '');

/** The names of the keys on the keyboard of the user: `Ctrl`, `Shift`, `L`. */
export function keyNames(keys: string, mac = isMac): readonly string[] {
  return partsOf(keys).map((part) => {
    const name = symbols[part] ?? part;
    return mac ? (macSymbols[part] ?? name) : part === 'Mod' ? 'Ctrl' : name;
  });
}

/** The keys as one text: `Ctrl+Shift+L`, on a Mac `⌘⇧L`. */
export function keyText(keys: string, mac = isMac): string {
  return keyNames(keys, mac).join(mac ? '' : '+');
}

/** The keys as assistive technology reads them: `Control+Shift+L`. */
export function ariaKeys(keys: string, mac = isMac): string {
  return partsOf(keys)
    .map((part) => (part === 'Mod' ? (mac ? 'Meta' : 'Control') : part === '+' ? 'Plus' : part))
    .join('+');
}
