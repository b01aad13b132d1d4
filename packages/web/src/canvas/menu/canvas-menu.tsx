import { lazy, type MouseEvent, type ReactNode, Suspense, useState } from 'react';
import type { MenuSubject, OpenMenu } from './menu-commands.ts';

const CommandMenu = lazy(async () => ({ default: (await import('./command-menu.tsx')).CommandMenu }));

interface CanvasMenuProps {
  /** Selects what a menu was opened on, and returns what it is. */
  readonly onOpen: (event: MouseEvent) => MenuSubject;
  /** The menu has closed, and its command was run. */
  readonly onClosed: () => void;
  readonly children: ReactNode;
}

/** Opens the menu of a node, of several, of a connection or of the canvas: for the right button and for the menu key. */
export function CanvasMenu({ onOpen, onClosed, children }: CanvasMenuProps) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const open = (event: MouseEvent): void => {
    event.preventDefault();
    const before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    setMenu({ subject: onOpen(event), x: event.clientX, y: event.clientY, before });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is inside has roles; the event comes from there.
    <div className="h-full w-full" onContextMenu={open}>
      {children}
      {menu !== null && (
        <Suspense>
          <CommandMenu
            key={`${menu.x} ${menu.y}`}
            menu={menu}
            onClosed={() => {
              setMenu(null);
              onClosed();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
