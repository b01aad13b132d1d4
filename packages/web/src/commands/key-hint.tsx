import { keyNames } from './keys.ts';

/** The keys of a command as they are labelled on the keyboard. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex shrink-0 gap-1">
      {keyNames(keys).map((name) => (
        <kbd
          key={name}
          className="inline-flex min-w-5 justify-center rounded border border-line bg-surface px-1 font-sans text-[11px] text-muted leading-[18px]"
        >
          {name}
        </kbd>
      ))}
    </span>
  );
}
