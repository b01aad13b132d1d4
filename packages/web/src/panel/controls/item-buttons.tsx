import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';

interface ItemButtonsProps {
  /** Names the item in the buttons, e.g. `rule 2`. */
  readonly name: string;
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

/** The buttons of a list item: up, down, remove. */
export function ItemButtons({ name, index, count, onMove, onRemove }: ItemButtonsProps) {
  return (
    <span className="flex shrink-0">
      {count > 1 && (
        <>
          <IconButton
            label={`Move ${name} up`}
            icon={<ArrowUp size={14} aria-hidden="true" />}
            disabled={index === 0}
            onClick={() => onMove(index - 1)}
          />
          <IconButton
            label={`Move ${name} down`}
            icon={<ArrowDown size={14} aria-hidden="true" />}
            disabled={index === count - 1}
            onClick={() => onMove(index + 1)}
          />
        </>
      )}
      <IconButton label={`Remove ${name}`} icon={<X size={14} aria-hidden="true" />} onClick={onRemove} />
    </span>
  );
}

interface AddButtonProps {
  readonly text: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
}

/** The button below a list. */
export function AddButton({ text, onClick, disabled = false }: AddButtonProps) {
  return (
    <Button
      kind="quiet"
      className="-ml-2 self-start px-2 text-accent"
      icon={<Plus size={14} aria-hidden="true" />}
      onClick={onClick}
      disabled={disabled}
    >
      {text}
    </Button>
  );
}

/** The list with an item at another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
