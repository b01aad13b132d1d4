import { lazy, Suspense, useEffect, useState } from 'react';
import type { PaletteEntry } from './palette/palette-groups.ts';
import { chooseSingleKeys, hasSingleKeys } from './single-keys.ts';
import { useCommandKeys } from './use-command-keys.ts';
import { useCommands } from './use-commands.ts';

// Both windows are large, and open only when somebody asks for them.
const CommandPalette = lazy(async () => ({
  default: (await import('./palette/command-palette.tsx')).CommandPalette,
}));
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));

type Window = { readonly kind: 'palette'; readonly start: string } | { readonly kind: 'shortcuts' };

/** The keys of all commands, the palette and the sheet of shortcuts, for every page. */
export function CommandWindows() {
  const [open, setOpen] = useState<Window | null>(null);
  const [picked, setPicked] = useState<PaletteEntry | null>(null);
  useCommandKeys();
  useCommands({
    'palette.open': { run: () => setOpen({ kind: 'palette', start: '' }) },
    'node.find': { run: () => setOpen({ kind: 'palette', start: '@' }) },
    'shortcuts.show': { run: () => setOpen({ kind: 'shortcuts' }) },
    'shortcuts.toggle': { run: () => chooseSingleKeys(!hasSingleKeys()) },
  });
  useEffect(() => {
    if (picked === null) return;
    setPicked(null);
    // After the palette has returned the focus to where it was: the command may move it further.
    setTimeout(picked.run);
  }, [picked]);
  const close = (): void => setOpen(null);
  return (
    <Suspense fallback={null}>
      {open?.kind === 'palette' && (
        <CommandPalette
          start={open.start}
          onClose={close}
          onPick={(entry) => {
            close();
            setPicked(entry);
          }}
        />
      )}
      {open?.kind === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}
