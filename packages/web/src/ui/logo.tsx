/** The mark of the product: a wheel in a stream. */
export function Logo({ size }: { readonly size: number }) {
  return <img src="/favicon.svg" alt="" width={size} height={size} />;
}
