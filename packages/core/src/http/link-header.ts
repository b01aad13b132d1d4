/** A parameter of a link: its name, and its value with quotation marks if it has any. Cannot backtrack on any text. */
const parameter = /\s*;\s*([^\s=;,"<>]*)(?:\s*=\s*("(?:[^"\\]|\\.)*"?|[^\s;,]*))?/y;

/** The URL of the first link in a `Link` header (RFC 8288) with this relation; null if there is none. */
export function linkIn(header: string, relation: string): string | null {
  let start = header.indexOf('<');
  while (start !== -1) {
    const end = header.indexOf('>', start);
    if (end === -1) return null;
    const { relations, next } = parametersAt(header, end + 1);
    if (relations.includes(relation)) return header.slice(start + 1, end).trim();
    start = header.indexOf('<', next);
  }
  return null;
}

/** The relations in the parameters from an offset on, and the offset at which the parameters end. */
function parametersAt(header: string, start: number): { readonly relations: readonly string[]; readonly next: number } {
  let relations: readonly string[] | null = null;
  let next = start;
  while (true) {
    parameter.lastIndex = next;
    const found = parameter.exec(header);
    if (found === null) return { relations: relations ?? [], next };
    const [, name = '', value = ''] = found;
    // The first of several counts.
    if (name.toLowerCase() === 'rel') relations ??= value.replaceAll('"', '').toLowerCase().split(/\s+/);
    next = parameter.lastIndex;
  }
}
