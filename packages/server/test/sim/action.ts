/** What somebody does with the run of a simulation, beside saying yes where they are asked. */
export type Action =
  | { readonly kind: 'none' }
  /** Cancels it after so many milliseconds. */
  | { readonly kind: 'cancel'; readonly afterMs: number }
  /** When it has failed, mends whatever fails, and retries it until it has completed. */
  | { readonly kind: 'retry' };
