import { Lines } from '../base/texts/lines.ts';
import type { Component } from '../component/component.ts';
import { splitExtraConfig } from '../component/config-check.ts';
import { readNodeConfig } from '../component/node-config.ts';
import type { Node } from '../graph/graph.ts';
import { own } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { Nameable } from './validate-names.ts';

/** Comments and string literals of JavaScript, up to their end or that of the code; names in them are ignored. */
const passedOver = [/\/\*[\s\S]*?(?:\*\/|$)/, /\/\/.*/, /'(?:\\.|[^'\\\n])*'?/, /"(?:\\.|[^"\\\n])*"?/];
/** The beginning of a template, or a brace that may end the code in one. */
const bounds = /(?<tick>`)|(?<open>\{)|(?<close>\})/;
/** The text of a template, up to its end or the next code in it. */
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y;
/**
 * `nodes.name`, `nodes['name']`, or any other use of `nodes`; not as the key of another object, as in `input.nodes`.
 */
const use =
  /(?<![\w$]|(?<!\.\.)\.)nodes(?![\w$])(?:\s*(?:\?\.|\.)\s*(?<name>[\w$]+)|\s*(?:\?\.)?\[\s*(?:'(?<single>\w+)'|"(?<double>\w+)")\s*\]|(?<other>))/;
const places = new RegExp([...passedOver, bounds, use].map(({ source }) => source).join('|'), 'g');

interface Mention {
  readonly name: string;
  readonly offset: number;
}

/**
 * The nodes that a code names, each at its first position. Empty if `nodes` is used in another way as well: it may then
 * be something else, such as a local variable or a parameter. This is not a JavaScript parser, so its results are only
 * good enough for a warning.
 */
export function nodesNamedIn(source: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const { groups = {}, index } of usesIn(source)) {
    if (groups.other !== undefined) return [];
    const name = groups.name ?? groups.single ?? groups.double;
    // Properties of every object, such as `nodes.hasOwnProperty`, are not nodes.
    if (name !== undefined && !found.has(name) && !(name in {})) found.set(name, { name, offset: index });
  }
  return [...found.values()];
}

/** The positions of `nodes` in the code itself, and in the code of templates. */
function* usesIn(source: string): Generator<RegExpExecArray> {
  /** The number of open braces for each template that contains this code. */
  const braces: number[] = [];
  const reader = new RegExp(places);
  for (let match = reader.exec(source); match !== null; match = reader.exec(source)) {
    const { tick, open, close } = match.groups ?? {};
    const depth = braces.at(-1);
    if (tick !== undefined || (close !== undefined && depth === 0)) {
      if (tick === undefined) braces.pop();
      templateText.lastIndex = reader.lastIndex;
      const text = templateText.exec(source)?.[0] ?? '';
      reader.lastIndex += text.length;
      if (text.endsWith('${')) braces.push(0);
    } else if (open !== undefined || close !== undefined) {
      if (depth !== undefined) braces[braces.length - 1] = depth + (open === undefined ? -1 : 1);
    } else yield match;
  }
}

/** Nonexistent node names in code: renaming a node updates expressions, but not code. */
export function checkCode(
  { nodeId, config }: Node,
  component: Component<never>,
  { nodes, suggest }: Nameable,
): readonly GraphIssue[] {
  const common = component.codeKey === undefined ? null : readNodeConfig(config);
  if (component.codeKey === undefined || common?.success !== true) return [];
  const source = own(splitExtraConfig(common.data.extra_config, component).own, component.codeKey);
  if (typeof source !== 'string') return [];
  const path = ['extra_config', component.codeKey];
  const lines = new Lines(source);
  return nodesNamedIn(source).flatMap(({ name, offset }) => {
    if (nodes.has(name)) return [];
    const { line, column } = lines.placeOf(offset);
    const place = `(line ${line}, column ${column})`;
    const message = `Node '${nodeId}', ${path.join('.')}: The code names node '${name}', which does not exist ${place}`;
    const words = `${message}${suggest(name, nodes.keys())}`;
    return [{ code: 'unknown_name', severity: 'warning', nodeId, field: path.join('.'), path, message: words }];
  });
}
