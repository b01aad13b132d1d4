/** Grey rows in the place of a list that is being loaded. They appear only after a moment: most lists are faster. */
export function SkeletonRows({ rows }: { readonly rows: number }) {
  return (
    <div role="status" aria-label="Loading" className="skeleton flex flex-col gap-2">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity.
        <div key={index} className="h-14 rounded-card bg-hover" />
      ))}
    </div>
  );
}
