/** The figures that were reached at the size of a release, by the id of the promise. */
export type Released = Readonly<Record<string, { readonly date: string; readonly reached: string }>>;

/** Their file, from the root of the project. `npm run promises -- --release` writes it. */
export const releasedFile = 'packages/server/test/promises/released.json';
