import { childrenOf, type Expression, type ExpressionNode, type Key } from '../ast.ts';
import { staticPath } from '../static-path.ts';
import { expressionsIn, type Template } from './template.ts';

/** A path that an expression names, up to its last static key: the first three keys of `nodes.hook.items[i].name`. */
export interface Reference {
  readonly path: readonly string[];
  /** The offset of each key of the path in the expression's text. */
  readonly offsets: readonly number[];
  /** The expression handles a missing path, with `default` or `is defined`. */
  readonly isOptional: boolean;
}

/** All paths that an expression names, in the order of the text. */
export function references(expression: Expression): readonly Reference[] {
  const found: Reference[] = [];
  visitPaths(expression.root, (keys, isOptional) => {
    found.push({ path: keys.map((key) => key.name), offsets: keys.map((key) => key.offset), isOptional });
  });
  return found.sort((left, right) => (left.offsets[0] ?? 0) - (right.offsets[0] ?? 0));
}

/** All paths that the expressions of a template name. */
export function templateReferences(template: Template): readonly Reference[] {
  return expressionsIn(template).flatMap(references);
}

/** Calls back for each static path below a node, and for the static beginning of every other path. */
export function visitPaths(
  node: ExpressionNode,
  visit: (keys: readonly Key[], isOptional: boolean) => void,
  isOptional = false,
): void {
  const path = staticPath(node);
  if (path !== undefined) {
    visit(path, isOptional);
    return;
  }
  const forgiven = forgivenChildren(node, isOptional);
  for (const child of childrenOf(node)) visitPaths(child, visit, forgiven.includes(child));
}

/** The children of a node that may be missing without an error. */
function forgivenChildren(node: ExpressionNode, isOptional: boolean): readonly ExpressionNode[] {
  if (node.kind === 'filter' && node.filter.acceptsMissing) return [node.input];
  if (node.kind === 'test' && node.predicate.acceptsMissing) return [node.operand];
  if (!isOptional) return [];
  if (node.kind === 'conditional') return [node.then, node.otherwise];
  return node.kind === 'member' || node.kind === 'index' || node.kind === 'slice' ? [node.object] : [];
}
