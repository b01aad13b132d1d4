import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { type CommandGroup, commandGroups, commandIds, definitionOf } from './command-table.ts';
import { KeyHint } from './key-hint.tsx';
import { chooseSingleKeys, hasSingleKeys } from './single-keys.ts';

/** All keyboard shortcuts, and the switch for those without a modifier. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Keyboard shortcuts"
      description="Keys of the canvas work while it has the focus: press Tab until a node is outlined, or click the canvas."
      isOpen={true}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      isWide
    >
      <SingleKeys />
      <div className="gap-8 sm:columns-2">
        {commandGroups.map((group) => (
          <Group key={group} group={group} />
        ))}
      </div>
    </Dialog>
  );
}

function SingleKeys() {
  const [isOn, setIsOn] = useState(hasSingleKeys);
  return (
    <label className="mb-4 flex items-start gap-2.5 rounded-control bg-sunken px-3 py-2.5 text-[13px]">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent"
        checked={isOn}
        onChange={({ target }) => {
          chooseSingleKeys(target.checked);
          setIsOn(target.checked);
        }}
      />
      <span>
        Single-key shortcuts
        <span className="block text-[12px] text-muted">
          Turn them off if speech input or a switch device presses keys by mistake. Shortcuts with Ctrl, Alt or ⌘ and
          the arrow keys still work.
        </span>
      </span>
    </label>
  );
}

function Group({ group }: { readonly group: CommandGroup }) {
  const shown = commandIds.filter((id) => definitionOf(id).group === group && definitionOf(id).keys?.length);
  if (shown.length === 0) return null;
  return (
    <section className="mb-5 break-inside-avoid" aria-label={group}>
      <h3 className="mb-1 font-semibold text-[13px]">{group}</h3>
      <dl>
        {shown.map((id) => (
          <div key={id} className="flex min-h-8 items-center gap-3 border-line border-b text-[13px] last:border-0">
            <dt className="min-w-0 flex-1">{definitionOf(id).title}</dt>
            <dd className="flex flex-wrap justify-end gap-x-2 gap-y-1">
              {definitionOf(id).keys?.map((keys) => (
                <KeyHint key={keys} keys={keys} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
