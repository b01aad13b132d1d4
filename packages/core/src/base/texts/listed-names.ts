/** Names listed in a message: more would hide the rest of it. */
const mostListed = 10;

/** A sentence that lists the available names, or says that there are none. */
export function listed(names: Iterable<string>, none: string): string {
  const first: string[] = [];
  for (const name of names) {
    if (first.length === mostListed) return `Available: ${first.join(', ')}, ….`;
    first.push(name);
  }
  return first.length === 0 ? none : `Available: ${first.join(', ')}.`;
}
