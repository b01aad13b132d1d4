/** What the interface says and nothing does yet: each row becomes one with tests when it is built. */
export const laterRows: readonly { readonly id: string; readonly says: string }[] = [];
