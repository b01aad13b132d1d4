import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { inputClasses } from '../../ui/field.tsx';
import { KeyHint } from '../key-hint.tsx';
import { useCommandRegistry } from '../use-commands.ts';
import { foundGroups, type PaletteEntry, type PaletteGroup, searchOf } from './palette-groups.ts';
import { usePaletteGroups } from './use-palette-entries.ts';

interface CommandPaletteProps {
  /** The text of the search when it opens, such as `@` for the nodes. */
  readonly start: string;
  readonly onClose: () => void;
  readonly onPick: (entry: PaletteEntry) => void;
}

/** Every command, page, workflow, node, problem, run and credential, found by a text. */
export function CommandPalette(props: CommandPaletteProps) {
  const { onClose } = props;
  return (
    <Dialog.Root open={true} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/30" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 flex-col rounded-dialog border border-line bg-raised shadow-xl outline-none">
          <Dialog.Title className="sr-only">Search and run commands</Dialog.Title>
          <Search {...props} />
          <p className="flex flex-wrap gap-x-4 gap-y-1 border-line border-t px-4 py-2 text-[12px] text-muted">
            <span>
              <KeyHint keys=">" /> commands
            </span>
            <span>
              <KeyHint keys="@" /> nodes
            </span>
            <span>
              <KeyHint keys="#" /> runs
            </span>
            <span className="ml-auto max-sm:hidden">
              <KeyHint keys="ArrowUp" /> <KeyHint keys="ArrowDown" /> choose <KeyHint keys="Enter" /> open
            </span>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ start, onPick }: CommandPaletteProps) {
  const [text, setText] = useState(start);
  const registry = useCommandRegistry();
  const { scope, words } = searchOf(text);
  const groups = foundGroups(usePaletteGroups(registry, scope, words), words);
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      filter={null}
      value={text}
      onValueChange={setText}
      autoHighlight="always"
    >
      <div className="p-3">
        <Autocomplete.Input
          aria-label="Search and run commands"
          className={`${inputClasses} h-10 text-[15px]`}
          placeholder="Search commands, pages, workflows, runs…"
        />
      </div>
      <Autocomplete.Empty className="px-6 pb-6 text-muted empty:hidden">
        Nothing matches. Search for fewer words.
      </Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 flex-1 scroll-py-2 overflow-y-auto px-2 pb-2 empty:hidden">
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.value} items={group.items} className="pb-1">
            <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 font-medium text-[11px] text-muted">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(entry: PaletteEntry) => <Entry key={entry.id} entry={entry} onPick={() => onPick(entry)} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function Entry({ entry, onPick }: { readonly entry: PaletteEntry; readonly onPick: () => void }) {
  const { title, detail, keys } = entry;
  return (
    <Autocomplete.Item
      value={entry}
      className="flex min-h-9 cursor-default items-center gap-3 rounded-control px-2 text-[13px] data-highlighted:bg-accent-soft"
      onClick={onPick}
    >
      <span className="min-w-0 max-w-[70%] shrink-0 truncate">{title}</span>
      <span className="min-w-0 flex-1 truncate text-[12px] text-muted">{detail}</span>
      {keys !== undefined && <KeyHint keys={keys} />}
    </Autocomplete.Item>
  );
}
