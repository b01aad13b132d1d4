import type { ReactNode } from 'react';

interface PayloadChoiceProps {
  readonly title: ReactNode;
  readonly preview: string;
  readonly onPick: () => void;
  /** A button beside it. */
  readonly action?: ReactNode;
}

/** A payload in a list: picking it fills the editor. */
export function PayloadChoice({ title, preview, onPick, action }: PayloadChoiceProps) {
  return (
    <li className="flex items-start gap-1 rounded-control border border-line hover:bg-hover">
      <button type="button" onClick={onPick} className="min-w-0 flex-1 px-3 py-2 text-left">
        <span className="block text-[13px]">{title}</span>
        <span className="block truncate font-mono text-[11px] text-muted">{preview}</span>
      </button>
      {action}
    </li>
  );
}
