import type { Filter } from './filters/filter.ts';
import type { ArithmeticOperator } from './operators.ts';
import type { Predicate } from './predicates.ts';

/** The position of a node in the text: from `offset` up to, but not including, `end`. */
export interface Span {
  readonly offset: number;
  readonly end: number;
}

export interface LiteralNode extends Span {
  readonly kind: 'literal';
  readonly value: null | boolean | number | string;
}

/** The first name of a path, resolved in the scope. */
export interface NameNode extends Span {
  readonly kind: 'name';
  readonly name: string;
}

/** A key of a path as written: `.total` or `['total']`. */
export interface Key extends Span {
  readonly name: string;
  readonly quoted: boolean;
}

/** `a.b` and `a['b']`. */
export interface MemberNode extends Span {
  readonly kind: 'member';
  readonly object: ExpressionNode;
  readonly key: Key;
}

/** `a[0]`, `a.0`, and `a[b]` if the key is itself an expression. */
export interface IndexNode extends Span {
  readonly kind: 'index';
  readonly object: ExpressionNode;
  readonly index: ExpressionNode;
}

/** `a[1:3]`; either end may be absent or negative. */
export interface SliceNode extends Span {
  readonly kind: 'slice';
  readonly object: ExpressionNode;
  readonly start: ExpressionNode | undefined;
  readonly stop: ExpressionNode | undefined;
}

export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly ExpressionNode[];
}

export interface ObjectEntry {
  readonly key: string;
  readonly value: ExpressionNode;
}

export interface ObjectNode extends Span {
  readonly kind: 'object';
  readonly entries: readonly ObjectEntry[];
}

export interface UnaryNode extends Span {
  readonly kind: 'unary';
  readonly operator: '-' | '+' | 'not';
  readonly operand: ExpressionNode;
}

export type OrderOperator = '<' | '<=' | '>' | '>=';
export type BinaryOperator = ArithmeticOperator | OrderOperator | '~' | '==' | '!=' | 'in' | 'not in';

export interface BinaryNode extends Span {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly operatorOffset: number;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
}

/**
 * `and` and `or`: the right side is evaluated only if the left does not decide; the result is one of the two values.
 */
export interface LogicNode extends Span {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or';
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
}

/** `then if condition else otherwise`. */
export interface ConditionalNode extends Span {
  readonly kind: 'conditional';
  readonly condition: ExpressionNode;
  readonly then: ExpressionNode;
  readonly otherwise: ExpressionNode;
}

/**
 * A filter's arguments in the order of its parameters, with defaults filled in; undefined for an omitted optional one.
 */
export type BoundArguments = readonly (ExpressionNode | undefined)[];

/** `input | filter(…)`. */
export interface FilterNode extends Span {
  readonly kind: 'filter';
  readonly input: ExpressionNode;
  readonly filter: Filter;
  readonly nameOffset: number;
  readonly args: BoundArguments;
}

/** `input | map('upper')`: applies a filter to each item. With an attribute's name, `map` is an ordinary filter. */
export interface MapNode extends Span {
  readonly kind: 'map';
  readonly input: ExpressionNode;
  readonly filter: Filter;
  readonly nameOffset: number;
  readonly args: BoundArguments;
}

/** `operand is defined`, `operand is not none`. */
export interface TestNode extends Span {
  readonly kind: 'test';
  readonly operand: ExpressionNode;
  readonly predicate: Predicate;
  readonly negated: boolean;
}

export type ExpressionNode =
  | LiteralNode
  | NameNode
  | MemberNode
  | IndexNode
  | SliceNode
  | ListNode
  | ObjectNode
  | UnaryNode
  | BinaryNode
  | LogicNode
  | ConditionalNode
  | FilterNode
  | MapNode
  | TestNode;

/**
 * A parsed expression. `text` is the text that its offsets refer to; for an expression in a template, the whole
 * template.
 */
export interface Expression {
  readonly text: string;
  readonly root: ExpressionNode;
}

/** All direct child nodes of a node, in the order of the text. */
export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'member':
      return [node.object];
    case 'index':
      return [node.object, node.index];
    case 'slice':
      return [node.object, node.start, node.stop].filter((child) => child !== undefined);
    case 'list':
      return node.items;
    case 'object':
      return node.entries.map((entry) => entry.value);
    case 'unary':
    case 'test':
      return [node.operand];
    case 'binary':
    case 'logic':
      return [node.left, node.right];
    case 'conditional':
      return [node.then, node.condition, node.otherwise];
    case 'filter':
    case 'map':
      return [node.input, ...node.args.filter((child) => child !== undefined)];
  }
}
