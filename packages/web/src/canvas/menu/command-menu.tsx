import { Menu } from '@base-ui/react/menu';
import { Fragment, useEffect, useRef, useState } from 'react';
import { type CommandId, definitionOf } from '../../commands/command-table.ts';
import { KeyHint } from '../../commands/key-hint.tsx';
import { useCommandRegistry } from '../../commands/use-commands.ts';
import { classes } from '../../ui/classes.ts';
import { menuItemClasses, menuPopupClasses } from '../../ui/menu.ts';
import { type MenuSubject, menuGroups, type OpenMenu } from './menu-commands.ts';

const names: Readonly<Record<MenuSubject, string>> = {
  node: 'Actions for the node',
  nodes: 'Actions for the selected nodes',
  connection: 'Actions for the connection',
  canvas: 'Actions for the graph',
};

interface CommandMenuProps {
  readonly menu: OpenMenu;
  readonly onClosed: () => void;
}

/** The commands for what a menu was opened on, with their keys. */
export function CommandMenu({ menu: { subject, x, y, before }, onClosed }: CommandMenuProps) {
  const registry = useCommandRegistry();
  const [groups, setGroups] = useState<readonly (readonly CommandId[])[]>([]);
  const [isOpen, setIsOpen] = useState(true);
  const chosen = useRef<CommandId | null>(null);
  // After the page was drawn: what is selected decides which commands can be run.
  useEffect(
    () => setGroups(menuGroups(subject, new Set(registry.available().map(({ id }) => id)))),
    [subject, registry],
  );
  // A command may open a dialog, or move the focus: the menu must be gone by then.
  const changed = (isNowOpen: boolean): void => {
    if (isNowOpen) return;
    if (chosen.current !== null) registry.run(chosen.current);
    onClosed();
  };
  return (
    <Menu.Root open={isOpen} onOpenChange={setIsOpen} onOpenChangeComplete={changed}>
      <Menu.Portal>
        <Menu.Positioner
          anchor={{ getBoundingClientRect: () => new DOMRect(x, y, 0, 0) }}
          side="bottom"
          align="start"
          className="z-30"
        >
          <Menu.Popup aria-label={names[subject]} finalFocus={() => before ?? true} className={menuPopupClasses}>
            {groups.map((ids, index) => (
              <Fragment key={ids[0]}>
                {index > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
                {ids.map((id) => (
                  <CommandItem key={id} id={id} onChoose={() => (chosen.current = id)} />
                ))}
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function CommandItem({ id, onChoose }: { readonly id: CommandId; readonly onChoose: () => void }) {
  const { title, keys: [keys] = [] } = definitionOf(id);
  return (
    <Menu.Item className={classes(menuItemClasses, id === 'node.delete' && 'text-danger')} onClick={onChoose}>
      {title}
      {keys !== undefined && (
        <span aria-hidden="true" className="ml-auto pl-6">
          <KeyHint keys={keys} />
        </span>
      )}
    </Menu.Item>
  );
}
