import type { ExpressionNode, Key } from './ast.ts';

/** The keys of a static path, root first: `nodes.hook['payload']`. Undefined for any other node. */
export function staticPath(node: ExpressionNode): readonly Key[] | undefined {
  const keys: Key[] = [];
  let at = node;
  while (at.kind === 'member') {
    keys.push(at.key);
    at = at.object;
  }
  if (at.kind !== 'name') return undefined;
  keys.push({ name: at.name, quoted: false, offset: at.offset, end: at.end });
  return keys.reverse();
}
