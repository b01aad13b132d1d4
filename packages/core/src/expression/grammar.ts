import { suggestion } from '../base/nearest.ts';
import type { BinaryOperator, ExpressionNode, Key, ObjectEntry } from './ast.ts';
import { type Argument, bindArguments, unknownTest } from './bind-arguments.ts';
import type { Filter } from './filters/filter.ts';
import { filterNames, findFilter } from './filters/table.ts';
import { findPredicate } from './predicates.ts';
import type { TokenStream } from './token-stream.ts';

/*
 * Jinja's grammar of expressions, one function per rule, lowest precedence first. As in Jinja `~` binds more tightly
 * than `+`, filters and tests bind more tightly than any operator, and every operator is left-associative, also `**`.
 */

/** Left-associative binary operators, lowest precedence first. */
const levels: readonly (readonly BinaryOperator[])[] = [['+', '-'], ['~'], ['*', '/', '//', '%'], ['**']];
const comparisons: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];

/** Reserved words, which cannot be names. */
export const keywords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);

/** Words that are literals. */
export const constants: ReadonlyMap<string, null | boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
  ['null', null],
]);

/** A whole expression: `a`, or `a if b else c`. */
export function parseConditional(tokens: TokenStream): ExpressionNode {
  const then = parseLogic(tokens, 'or');
  if (!tokens.acceptName('if')) return then;
  const condition = parseLogic(tokens, 'or');
  if (!tokens.acceptName('else')) {
    tokens.fail("'a if b' requires 'else' and a value for the other case, e.g. else ''.");
  }
  const otherwise = tokens.nested(() => parseConditional(tokens));
  return { kind: 'conditional', condition, then, otherwise, offset: then.offset, end: otherwise.end };
}

function parseLogic(tokens: TokenStream, operator: 'or' | 'and'): ExpressionNode {
  const part = () => (operator === 'or' ? parseLogic(tokens, 'and') : parseNot(tokens));
  let left: ExpressionNode = part();
  while (tokens.acceptName(operator)) {
    tokens.countOperator();
    left = logic(operator, left, part());
  }
  return left;
}

function parseNot(tokens: TokenStream): ExpressionNode {
  const { offset } = tokens.current;
  if (!tokens.acceptName('not')) return parseComparison(tokens);
  const operand = tokens.nested(() => parseNot(tokens));
  return { kind: 'unary', operator: 'not', operand, offset, end: operand.end };
}

function parseComparison(tokens: TokenStream): ExpressionNode {
  const left = parseMath(tokens, 0);
  const operatorOffset = tokens.current.offset;
  const operator = acceptComparison(tokens);
  if (operator === undefined) return left;
  tokens.countOperator();
  const right = parseMath(tokens, 0);
  const { offset } = tokens.current;
  if (acceptComparison(tokens) !== undefined) {
    tokens.fail("Comparisons do not chain: write 'a < b and b < c', or put one of them in parentheses.", offset);
  }
  return binary({ operator, operatorOffset }, left, right);
}

function acceptComparison(tokens: TokenStream): BinaryOperator | undefined {
  const symbol = comparisons.find((candidate) => tokens.isSymbol(candidate));
  if (symbol !== undefined) {
    tokens.advance();
    return symbol;
  }
  if (tokens.acceptName('in')) return 'in';
  if (!tokens.acceptName('not')) return undefined;
  if (!tokens.acceptName('in'))
    tokens.fail(`After a value, 'not' must be followed by 'in', but found ${tokens.describe()}.`);
  return 'not in';
}

function parseMath(tokens: TokenStream, level: number): ExpressionNode {
  const operators = levels[level];
  if (operators === undefined) return parseFiltered(tokens);
  let left: ExpressionNode = parseMath(tokens, level + 1);
  for (;;) {
    const operator = operators.find((candidate) => tokens.isSymbol(candidate));
    if (operator === undefined) return left;
    const operatorOffset = tokens.advance().offset;
    tokens.countOperator();
    left = binary({ operator, operatorOffset }, left, parseMath(tokens, level + 1));
  }
}

function logic(operator: 'or' | 'and', left: ExpressionNode, right: ExpressionNode): ExpressionNode {
  return { kind: 'logic', operator, left, right, offset: left.offset, end: right.end };
}

function binary(
  operation: { readonly operator: BinaryOperator; readonly operatorOffset: number },
  left: ExpressionNode,
  right: ExpressionNode,
): ExpressionNode {
  return { kind: 'binary', ...operation, left, right, offset: left.offset, end: right.end };
}

/** A value with the filters and tests after it. A sign belongs to the value: `-1 | abs` is 1. */
function parseFiltered(tokens: TokenStream): ExpressionNode {
  let node: ExpressionNode = parseSigned(tokens);
  for (;;) {
    if (tokens.accept('|')) node = parseFilter(tokens, node);
    else if (tokens.acceptName('is')) node = parseTest(tokens, node);
    else return node;
    tokens.countOperator();
  }
}

function parseTest(tokens: TokenStream, operand: ExpressionNode): ExpressionNode {
  const negated = tokens.acceptName('not');
  const token = tokens.current;
  if (token.kind !== 'name') tokens.fail(`Expected a test after 'is', e.g. 'defined', but found ${tokens.describe()}.`);
  const predicate = findPredicate(constants.get(token.name) === null ? 'none' : token.name.toLowerCase());
  if (predicate === undefined) tokens.fail(unknownTest(token.name));
  if (predicate.comparing) tokens.fail(`A comparison cannot follow 'is': use an operator such as '==', '<' or 'in'.`);
  tokens.advance();
  return { kind: 'test', operand, predicate, negated, offset: operand.offset, end: token.end };
}

function parseFilter(tokens: TokenStream, input: ExpressionNode): ExpressionNode {
  const token = tokens.current;
  if (token.kind !== 'name') tokens.fail(`Expected a filter after '|', e.g. 'upper', but found ${tokens.describe()}.`);
  const filter = filterOf(tokens, token.name, token.offset);
  tokens.advance();
  const { args, end } = tokens.isSymbol('(') ? parseArguments(tokens) : { args: [], end: token.end };
  const at = { offset: token.offset, end: token.end };
  const fail = (reason: string, offset: number): never => tokens.fail(reason, offset);
  const each = filter.name === 'map' ? filterNamedBy(args[0]) : undefined;
  const bound = bindArguments({ filter: each ?? filter, args: each ? args.slice(1) : args, ...at, fail });
  const span = { nameOffset: at.offset, args: bound, offset: input.offset, end };
  return each === undefined
    ? { kind: 'filter', input, filter, ...span }
    : { kind: 'map', input, filter: each, ...span };
}

function filterOf(tokens: TokenStream, name: string, offset: number): Filter {
  const found = findFilter(name);
  return found ?? tokens.fail(`There is no filter '${name}'.${suggestion(name, filterNames)}`, offset);
}

/** The filter that `map` names, if its argument is a filter's name. */
function filterNamedBy(argument: Argument | undefined): Filter | undefined {
  if (argument === undefined || argument.name !== undefined || argument.value.kind !== 'literal') return undefined;
  return typeof argument.value.value === 'string' ? findFilter(argument.value.value) : undefined;
}

function parseArguments(tokens: TokenStream): { args: readonly Argument[]; end: number } {
  tokens.advance();
  const args: Argument[] = [];
  while (!tokens.isSymbol(')')) {
    const value = tokens.nested(() => parseConditional(tokens));
    if (value.kind === 'name' && tokens.accept('=')) {
      const named = tokens.nested(() => parseConditional(tokens));
      args.push({ name: value.name, offset: value.offset, value: named });
    } else {
      args.push({ name: undefined, offset: value.offset, value });
    }
    if (!tokens.accept(',')) break;
  }
  return { args, end: tokens.expect(')', "or ',' after an argument") };
}

function parseSigned(tokens: TokenStream): ExpressionNode {
  const { offset } = tokens.current;
  const operator = tokens.isSymbol('-') ? '-' : tokens.isSymbol('+') ? '+' : undefined;
  if (operator === undefined) return parsePath(tokens);
  tokens.advance();
  const operand = tokens.nested(() => parseSigned(tokens));
  return { kind: 'unary', operator, operand, offset, end: operand.end };
}

/** A value with the keys and indexes after it. */
function parsePath(tokens: TokenStream): ExpressionNode {
  let node: ExpressionNode = parsePrimary(tokens);
  for (;;) {
    if (tokens.isSymbol('.')) node = parseMember(tokens, node);
    else if (tokens.isSymbol('[')) node = parseIndex(tokens, node);
    else if (tokens.isSymbol('(')) tokens.fail("Nothing can be called here. A filter is written 'value | name(…)'.");
    else return node;
    tokens.countOperator();
  }
}

function parseMember(tokens: TokenStream, object: ExpressionNode): ExpressionNode {
  tokens.advanceToMember();
  const token = tokens.current;
  const { offset, end } = token;
  if (token.kind === 'name') {
    tokens.advance();
    const key: Key = { name: token.name, quoted: false, offset, end };
    return { kind: 'member', object, key, offset: object.offset, end };
  }
  if (token.kind === 'number') {
    tokens.advance();
    const index: ExpressionNode = { kind: 'literal', value: token.value, offset, end };
    return { kind: 'index', object, index, offset: object.offset, end };
  }
  return tokens.fail(`Expected a name after '.', but found ${tokens.describe()}.`);
}

function parseIndex(tokens: TokenStream, object: ExpressionNode): ExpressionNode {
  tokens.advance();
  const { offset } = object;
  const inside = () =>
    tokens.isSymbol(':') || tokens.isSymbol(']') ? undefined : tokens.nested(() => parseConditional(tokens));
  const index = inside();
  if (tokens.accept(':')) {
    const stop = inside();
    const end = tokens.expect(']', 'after the end of a slice');
    return { kind: 'slice', object, start: index, stop, offset, end };
  }
  if (index === undefined) tokens.fail("A key or an index is required between '[' and ']'.");
  const end = tokens.expect(']', 'after a key or an index');
  if (index.kind !== 'literal' || typeof index.value !== 'string') return { kind: 'index', object, index, offset, end };
  const key: Key = { name: index.value, quoted: true, offset: index.offset, end: index.end };
  return { kind: 'member', object, key, offset, end };
}

function parsePrimary(tokens: TokenStream): ExpressionNode {
  const token = tokens.current;
  const { offset, end } = token;
  switch (token.kind) {
    case 'number':
    case 'string':
      tokens.advance();
      return { kind: 'literal', value: token.value, offset, end };
    case 'name': {
      if (keywords.has(token.name)) return unexpected(tokens);
      tokens.advance();
      const constant = constants.get(token.name);
      if (constant === undefined) return { kind: 'name', name: token.name, offset, end };
      return { kind: 'literal', value: constant, offset, end };
    }
    case 'symbol':
      return tokens.nested(() => parseBracketed(tokens, token.symbol));
    case 'end':
      return unexpected(tokens);
  }
}

function parseBracketed(tokens: TokenStream, symbol: string): ExpressionNode {
  switch (symbol) {
    case '(':
      return parseParenthesized(tokens);
    case '[':
      return parseList(tokens);
    case '{':
      return parseObject(tokens);
    default:
      return unexpected(tokens);
  }
}

function parseParenthesized(tokens: TokenStream): ExpressionNode {
  const { offset } = tokens.advance();
  const node = parseConditional(tokens);
  if (tokens.isSymbol(',')) tokens.fail("A list is written in brackets: '[1, 2]'.");
  const end = tokens.expect(')', 'after the expression in parentheses');
  return { ...node, offset, end };
}

function parseList(tokens: TokenStream): ExpressionNode {
  const { offset } = tokens.advance();
  const items: ExpressionNode[] = [];
  while (!tokens.isSymbol(']')) {
    items.push(parseConditional(tokens));
    if (!tokens.accept(',')) break;
  }
  return { kind: 'list', items, offset, end: tokens.expect(']', "or ',' after an item of a list") };
}

function parseObject(tokens: TokenStream): ExpressionNode {
  const { offset } = tokens.advance();
  const entries: ObjectEntry[] = [];
  const keys = new Set<string>();
  while (!tokens.isSymbol('}')) {
    const key = tokens.current;
    if (key.kind !== 'string') failAtKey(tokens);
    if (keys.has(key.value)) tokens.fail('The object contains this key twice.');
    keys.add(key.value);
    tokens.advance();
    tokens.expect(':', 'after a key of an object');
    entries.push({ key: key.value, value: parseConditional(tokens) });
    if (!tokens.accept(',')) break;
  }
  return { kind: 'object', entries, offset, end: tokens.expect('}', "or ',' after an entry of an object") };
}

/** An expression inside another one, or in three braces, looks like an object. */
function failAtKey(tokens: TokenStream): never {
  const isBrace = tokens.isSymbol('{');
  const isTriple = /\{\{\{\s*$/.test(tokens.text.slice(Math.max(0, tokens.current.offset - 10), tokens.current.offset));
  if (isBrace || isTriple) tokens.fail("Write '{{' and '}}' once around an expression, with two braces each.");
  tokens.fail(`An object key must be text in quotes, but found ${tokens.describe()}.`);
}

/** Fails at the next token. */
export function unexpected(tokens: TokenStream): never {
  const found = tokens.describe();
  if (tokens.isSymbol('=')) tokens.fail("Write '==' to compare.");
  if (tokens.current.kind === 'end') tokens.fail('The expression ends too early: a value is missing.');
  tokens.fail(`The expression cannot continue with ${found} here.`);
}
