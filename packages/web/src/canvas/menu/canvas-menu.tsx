import { ContextMenu } from '@base-ui/react/context-menu';
import { Fragment, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { type CommandId, definitionOf } from '../../commands/command-table.ts';
import { KeyHint } from '../../commands/key-hint.tsx';
import { useCommandRegistry } from '../../commands/use-commands.ts';
import { classes } from '../../ui/classes.ts';
import { menuItemClasses, menuPopupClasses } from '../../ui/menu.ts';
import { type MenuSubject, menuGroups } from './menu-commands.ts';

interface CanvasMenuProps {
  /** Selects what a menu was opened on, and returns what it is. */
  readonly onOpen: (event: MouseEvent) => MenuSubject;
  /** The menu has closed, and its command was run. */
  readonly onClosed: () => void;
  readonly children: ReactNode;
}

/** The menu of a node, of several, of a connection or of the canvas: for the right button and for the menu key. */
export function CanvasMenu({ onOpen, onClosed, children }: CanvasMenuProps) {
  const registry = useCommandRegistry();
  const [menu, setMenu] = useState<readonly (readonly CommandId[])[]>([]);
  const [name, setName] = useState('');
  const chosen = useRef<CommandId | null>(null);
  const before = useRef<HTMLElement | null>(null);
  const open = (event: MouseEvent): void => {
    before.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    const subject = onOpen(event);
    setName(names[subject]);
    // What the event selects decides which commands can be run.
    requestAnimationFrame(() => setMenu(menuGroups(subject, new Set(registry.available().map(({ id }) => id)))));
  };
  // A command may open a dialog, or move the focus: the menu must be gone by then.
  const closed = (isOpen: boolean): void => {
    if (isOpen) return;
    if (chosen.current !== null) registry.run(chosen.current);
    chosen.current = null;
    onClosed();
  };
  return (
    <ContextMenu.Root onOpenChangeComplete={closed}>
      <ContextMenu.Trigger className="h-full w-full" onContextMenu={open}>
        {children}
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner>
          <ContextMenu.Popup aria-label={name} finalFocus={() => before.current ?? true} className={menuPopupClasses}>
            {menu.map((ids, index) => (
              <Fragment key={ids[0]}>
                {index > 0 && <ContextMenu.Separator className="my-1 h-px bg-line" />}
                {ids.map((id) => (
                  <CommandItem key={id} id={id} onChoose={() => (chosen.current = id)} />
                ))}
              </Fragment>
            ))}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

const names: Readonly<Record<MenuSubject, string>> = {
  node: 'Actions for the node',
  nodes: 'Actions for the selected nodes',
  connection: 'Actions for the connection',
  canvas: 'Actions for the graph',
};

function CommandItem({ id, onChoose }: { readonly id: CommandId; readonly onChoose: () => void }) {
  const { title, keys: [keys] = [] } = definitionOf(id);
  return (
    <ContextMenu.Item className={classes(menuItemClasses, id === 'node.delete' && 'text-danger')} onClick={onChoose}>
      {title}
      {keys !== undefined && (
        <span aria-hidden="true" className="ml-auto pl-6">
          <KeyHint keys={keys} />
        </span>
      )}
    </ContextMenu.Item>
  );
}
