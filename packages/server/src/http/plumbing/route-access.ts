/**
 * The sentence that documents who may call an endpoint, by the declaration of its route; null if every user may. The
 * declaration grants nothing: `load` checks the caller. The permission matrix sends requests of all kinds of callers
 * and fails if the responses differ from the declaration.
 */
export const accessTexts = {
  user: null,
  reader: 'Only for users who may read the workflow.',
  member: 'Only for the owner and the collaborators of the workflow.',
  editor: 'Only for the owner and the editors of the workflow.',
  owner: 'Only for the owner.',
  admin: 'Only for admins.',
} as const satisfies Readonly<Record<string, string | null>>;

/** Who may call an endpoint with an API key of full scope. */
export type RouteAccess = keyof typeof accessTexts;
