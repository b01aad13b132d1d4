/** An action on the run of a simulation, besides confirming every question. */
export type Action =
  | { readonly kind: 'none' }
  /** Cancels it after this many milliseconds. */
  | { readonly kind: 'cancel'; readonly afterMs: number }
  /** An operator sets the wall clock after so many milliseconds; negative to set it back. */
  | { readonly kind: 'set clock'; readonly sets: readonly { readonly afterMs: number; readonly byMs: number }[] }
  /** After it has failed, repairs everything that fails, and retries the run until it has completed. */
  | { readonly kind: 'retry' };
