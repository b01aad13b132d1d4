import { TriangleAlert } from 'lucide-react';

interface AttentionButtonProps {
  readonly text: string;
  readonly hint: string;
  readonly onClick: () => void;
}

/** Something in the header that is not saved and waits for a person; pressed, it leads to it. */
export function AttentionButton({ text, hint, onClick }: AttentionButtonProps) {
  return (
    <span role="status">
      <button
        type="button"
        className="inline-flex h-8 items-center gap-1.5 rounded-control bg-warning-soft px-2 text-[12px] text-ink hover:bg-hover"
        title={hint}
        onClick={onClick}
      >
        <TriangleAlert size={14} aria-hidden="true" />
        {text}
      </button>
    </span>
  );
}
