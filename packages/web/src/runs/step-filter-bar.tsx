import { Search } from 'lucide-react';

interface StepFilterBarProps {
  readonly text: string;
  readonly isOnlyFailed: boolean;
  readonly onText: (text: string) => void;
  readonly onOnlyFailed: (isOnlyFailed: boolean) => void;
}

/** Which steps the waterfall shows. */
export function StepFilterBar({ text, isOnlyFailed, onText, onOnlyFailed }: StepFilterBarProps) {
  return (
    <search className="flex items-center gap-3 border-line border-b px-3 py-1.5 text-[13px]">
      <label className="relative min-w-0 flex-1 sm:max-w-56">
        <span className="sr-only">Filter steps by name</span>
        <Search size={13} className="absolute top-[7px] left-2 text-muted" aria-hidden="true" />
        <input
          type="search"
          defaultValue={text}
          placeholder="Filter steps"
          onChange={({ target }) => onText(target.value)}
          className="h-7 w-full rounded-control border border-line bg-surface pr-2 pl-7 text-[12px] placeholder:text-muted"
        />
      </label>
      <label className="flex h-7 items-center gap-1.5">
        <input
          type="checkbox"
          checked={isOnlyFailed}
          onChange={({ target }) => onOnlyFailed(target.checked)}
          className="size-4 accent-accent"
        />
        Only failed
      </label>
      <span className="ml-auto text-[12px] text-muted max-md:hidden">
        <kbd className="font-sans">J</kbd> / <kbd className="font-sans">K</kbd> next and previous step
      </span>
    </search>
  );
}
