/** A user's action on the run of a simulation, besides confirming every question. */
export type Action =
  | { readonly kind: 'none' }
  /** Cancels it after this many milliseconds. */
  | { readonly kind: 'cancel'; readonly afterMs: number }
  /** After it has failed, repairs everything that fails, and retries the run until it has completed. */
  | { readonly kind: 'retry' };
