import { createContext, useContext, useEffect, useLayoutEffect, useRef } from 'react';
import { type CommandHandlers, CommandRegistry, type ItemKind, type PaletteItem } from './command-registry.ts';
import { type CommandId, definitionOf } from './command-table.ts';
import { ariaKeys, keyText } from './keys.ts';

const CommandsContext = createContext(new CommandRegistry());

/** The commands of the open page. */
export function useCommandRegistry(): CommandRegistry {
  return useContext(CommandsContext);
}

/** Performs commands while the component is on the page. */
export function useCommands(handlers: CommandHandlers): void {
  const registry = useCommandRegistry();
  const latest = useRef(handlers);
  // Before the effects of a menu that opens at the same moment: it lists what can be run now.
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => registry.register(() => latest.current), [registry]);
}

/** Lets the palette go to things of this page. They are listed when it opens. */
export function usePaletteItems(kind: ItemKind, items: () => readonly PaletteItem[]): void {
  const registry = useCommandRegistry();
  const latest = useRef(items);
  useEffect(() => {
    latest.current = items;
  });
  useEffect(() => registry.provide(kind, () => latest.current()), [registry, kind]);
}

/** The keys of a command, as buttons and menus show them; null if it has none. */
export function keysOf(id: CommandId): string | null {
  const [keys] = definitionOf(id).keys ?? [];
  return keys === undefined ? null : keyText(keys);
}

/** The tooltip of a button: what it does, by default the title of its command, and the keys. */
export function tooltipOf(id: CommandId, text: string = definitionOf(id).title): string {
  const keys = keysOf(id);
  return keys === null ? text : `${text} (${keys})`;
}

/** The tooltip and the keys of a button, for people and for assistive technology. */
export function hintsOf(id: CommandId, text?: string) {
  const [keys] = definitionOf(id).keys ?? [];
  return { title: tooltipOf(id, text), ...(keys !== undefined && { 'aria-keyshortcuts': ariaKeys(keys) }) };
}
