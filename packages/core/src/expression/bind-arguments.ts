import { suggestion } from '../base/nearest.ts';
import type { BoundArguments, ExpressionNode, LiteralNode, Span } from './ast.ts';
import type { Filter, Parameter } from './filters/filter.ts';
import { findPredicate, predicateNames } from './predicates.ts';

/** An argument as written, with its name if it is named. */
export interface Argument {
  readonly name: string | undefined;
  readonly offset: number;
  readonly value: ExpressionNode;
}

/** The filter that receives the arguments, and the offset of its name. */
export interface Call extends Span {
  readonly filter: Filter;
  readonly args: readonly Argument[];
  fail(reason: string, offset: number): never;
}

/** Puts a filter's arguments in the order of its parameters and fills in defaults for omitted ones. */
export function bindArguments(call: Call): BoundArguments {
  const { filter } = call;
  const given = new Map<string, ExpressionNode>();
  for (const [index, argument] of call.args.entries()) {
    const parameter = parameterFor(call, argument, index);
    if (given.has(parameter.name)) call.fail(`'${parameter.name}' is given twice.`, argument.offset);
    if (parameter.names === 'test') checkTest(call, argument.value);
    given.set(parameter.name, argument.value);
  }
  return filter.parameters.map((parameter) => {
    const value = given.get(parameter.name);
    if (value !== undefined || parameter.optional) return value;
    if (parameter.default !== undefined) return defaultArgument(parameter.default, call);
    return call.fail(`The filter '${filter.name}' needs '${parameter.name}'. ${usage(filter)}`, call.offset);
  });
}

function parameterFor(call: Call, argument: Argument, index: number): Parameter {
  const { filter } = call;
  if (argument.name === undefined) {
    const found = filter.parameters[index];
    return found ?? call.fail(`The filter '${filter.name}' has too many arguments. ${usage(filter)}`, argument.offset);
  }
  const found = filter.parameters.find((parameter) => parameter.name === argument.name);
  const unknown = `The filter '${filter.name}' has no argument '${argument.name}'. ${usage(filter)}`;
  return found ?? call.fail(unknown, argument.offset);
}

function defaultArgument(value: LiteralNode['value'], { offset, end }: Span): LiteralNode {
  return { kind: 'literal', value, offset, end };
}

/** How to write a filter, e.g. `It is written 'join(separator, attribute)'.` */
function usage(filter: Filter): string {
  const names = filter.parameters.map((parameter) => parameter.name);
  return `It is written '${filter.name}${names.length === 0 ? '' : `(${names.join(', ')})`}'.`;
}

function checkTest(call: Call, value: ExpressionNode): void {
  if (value.kind !== 'literal' || typeof value.value !== 'string') {
    call.fail("Put the test's name in quotes, as in 'select(\"gt\", 3)'.", value.offset);
  }
  if (findPredicate(value.value) === undefined) {
    call.fail(unknownTest(value.value), value.offset);
  }
}

/** The message for a test that does not exist. */
export function unknownTest(name: string): string {
  return `There is no test '${name}'.${suggestion(name, predicateNames)}`;
}
