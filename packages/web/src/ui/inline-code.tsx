/** A sentence in which backticks mark code, as descriptions of the service contain it. */
export function InlineCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <code key={index} className="rounded-[3px] bg-hover px-1 py-px font-mono text-[0.92em] text-ink">
        {part}
      </code>
    ),
  );
}
