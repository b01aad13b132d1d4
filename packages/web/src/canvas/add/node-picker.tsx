import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { NodeType } from '../../api/node-types.ts';
import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import type { NodeTypes } from '../flow.ts';
import { colourOf, iconOf } from '../node-look.tsx';

interface NodePickerProps {
  readonly title?: string;
  readonly types: NodeTypes;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onPick: (type: NodeType) => void;
}

/** The list of node types, filtered by a text. Arrows and Enter choose one. */
export function NodePicker({ title = 'Add a node', types, isOpen, onOpenChange, onPick }: NodePickerProps) {
  // The new node gets the focus; without one it returns to where it was.
  const isPicked = useRef(false);
  const pick = (type: NodeType): void => {
    isPicked.current = true;
    onPick(type);
  };
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(isNowOpen) => {
        isPicked.current = false;
        onOpenChange(isNowOpen);
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-black/30" />
        <Dialog.Popup
          finalFocus={() => !isPicked.current}
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 flex max-h-[70vh] w-[min(28rem,calc(100vw-2rem))] flex-col rounded-dialog border border-line bg-raised shadow-xl outline-none"
        >
          <Dialog.Title className="px-4 pt-4 pb-2 font-semibold text-[16px]">{title}</Dialog.Title>
          <Choices types={types} onPick={pick} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({ types, onPick }: Pick<NodePickerProps, 'types' | 'onPick'>) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const found = useMemo(() => matching(types, text), [types, text]);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((before) => (before + step + found.length) % Math.max(1, found.length));
    }
    const chosen = found[active];
    if (event.key === 'Enter' && chosen !== undefined) onPick(chosen);
  };
  return (
    <>
      <div className="px-4 pb-3">
        <input
          type="search"
          role="combobox"
          aria-label="Search node types"
          aria-expanded="true"
          aria-controls="node-types"
          aria-activedescendant={`node-type-${found[active]?.component_type}`}
          className={inputClasses}
          placeholder="Search, for example: http"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={move}
        />
      </div>
      <div id="node-types" role="listbox" aria-label="Node types" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {found.length === 0 && (
          <p className="px-2 py-4 text-muted">
            {text === '' ? 'No node type fits here.' : `No node type matches “${text}”.`}
          </p>
        )}
        {found.map((type, index) => (
          <Choice key={type.component_type} type={type} isActive={index === active} onPick={onPick} />
        ))}
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly type: NodeType;
  readonly isActive: boolean;
  readonly onPick: (type: NodeType) => void;
}

function Choice({ type, isActive, onPick }: ChoiceProps) {
  const Icon = iconOf(type.icon);
  const option = useRef<HTMLDivElement>(null);
  // Only when it becomes active: a person may have scrolled away from it since.
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <div
      id={`node-type-${type.component_type}`}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      onClick={() => onPick(type)}
      onKeyDown={({ key }) => key === 'Enter' && onPick(type)}
      ref={option}
      className={classes(
        'flex cursor-pointer items-center gap-3 rounded-control px-2 py-2 hover:bg-hover',
        isActive && 'bg-accent-soft',
      )}
    >
      <span
        className="flex size-8 shrink-0 items-center justify-center rounded-control bg-hover"
        style={{ color: colourOf(type.category) }}
      >
        <Icon size={18} aria-hidden="true" />
      </span>
      <span className="min-w-0">
        <span className="block font-medium text-[13px]">{type.label}</span>
        <span className="block truncate text-[12px] text-muted">{firstSentence(type.description)}</span>
      </span>
      <span className="ml-auto shrink-0 text-[11px] text-muted">{type.category}</span>
    </div>
  );
}

/** Those whose name begins with the text first, then those that contain it anywhere. */
function matching(types: NodeTypes, text: string): readonly NodeType[] {
  const wanted = text.trim().toLowerCase();
  const rank = ({ label, component_type: type, category, description }: NodeType): number => {
    const name = label.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted) || type.includes(wanted)) return 1;
    return category.toLowerCase().includes(wanted) || description.toLowerCase().includes(wanted) ? 2 : 3;
  };
  const ranked = Object.values(types).map((type) => ({ type, rank: rank(type) }));
  return ranked
    .filter((found) => found.rank < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank || a.type.category.localeCompare(b.type.category) || a.type.label.localeCompare(b.type.label),
    )
    .map(({ type }) => type);
}

function firstSentence(description: string): string {
  return /^[^.\n]*\.?/.exec(description)?.[0] ?? '';
}
