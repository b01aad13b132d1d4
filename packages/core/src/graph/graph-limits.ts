/** The list of nodes has no pages, and every check reads all of them: this limits both. */
export const maxNodes = 2_000;
/** The list of edges has no pages: this limits it. */
export const maxEdges = 10_000;
