import { type Suggest, suggestions } from '../base/nearest.ts';
import { Lines } from '../base/texts/lines.ts';
import { listed } from '../base/texts/listed-names.ts';
import type { Catalogue, Component } from '../component/component.ts';
import { promptIn, splitExtraConfig } from '../component/config-check.ts';
import { configPath, expressionPlaces, isSentFrom, mayBeMissing } from '../component/expression-places.ts';
import { readNodeConfig } from '../component/node-config.ts';
import type { RunOrder } from '../engine/run-order.ts';
import { type ConfigText, compileConfig, configTexts } from '../expression/config/config.ts';
import type { ConfigOptions } from '../expression/config/config-text.ts';
import { type Reference, templateReferences } from '../expression/config/references.ts';
import type { Template } from '../expression/config/template.ts';
import type { Node } from '../graph/graph.ts';
import { loopsAround } from '../graph/loop-bodies.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { VariableName } from '../variables/variable.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { NameIssue } from './name-issue.ts';
import { variableIssues, variablesByName } from './validate-variables.ts';

/** The names that expressions can use: the nodes of the graph by name, and their types. */
export interface Nameable {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
  readonly order: RunOrder;
  /** For each node in a loop body, the innermost loop around it. */
  readonly loopOf: ReadonlyMap<string, string>;
  /** The variables that the workflow can read; null if they are not known. */
  readonly variables: ReadonlyMap<string, VariableName> | null;
  readonly suggest: Suggest;
}

/** The names that exist in every run, with the keys of those whose keys are fixed. */
const common: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['trigger', ['payload', 'text', 'content_type']],
  ['input', null],
  ['run', ['id', 'started_at', 'workflow']],
  ['vars', null],
  ['loop', ['item', 'index', 'total', 'outer']],
]);

/** Reports every unknown name in a node's expressions: a name of a node, of one of its ports, or of a variable. */
export function checkNames(node: Node, component: Component<never>, nameable: Nameable): readonly GraphIssue[] {
  return checkTexts(node, component, ({ template, isSent }) => {
    const issues = templateReferences(template).map((reference) =>
      reference.isOptional || isArgument(reference, node, component) ? null : issueOf(reference, node.nodeId, nameable),
    );
    return [...issues.filter((issue) => issue !== null), ...variableIssues({ template, isSent }, nameable)];
  });
}

/** Whether a reference reads an argument that the node, as a tool, has described. */
function isArgument({ path }: Reference, { config }: Node, component: Component<never>): boolean {
  const [root, key] = path;
  if (root !== 'args' || component.tool === undefined) return false;
  const common = readNodeConfig(config);
  const settings = common.success ? splitExtraConfig(common.data.extra_config, component).tool.tool : undefined;
  const parameters = isObject(settings) ? settings.parameters : undefined;
  const properties = isObject(parameters) ? parameters.properties : undefined;
  return isObject(properties) && (key === undefined || Object.hasOwn(properties, key));
}

/** The part of that check that depends on the variables, for the nodes of one graph. */
export function variablesCheck(
  variables: readonly VariableName[],
): (node: Node, component: Component<never>) => readonly GraphIssue[] {
  const known = { variables: variablesByName(variables), suggest: suggestions() };
  return (node, component) => checkTexts(node, component, (text) => variableIssues(text, known));
}

/** A text with expressions, and whether their values are sent to another service. */
interface CheckedText {
  readonly template: Template;
  readonly isSent: boolean;
}

function checkTexts(
  { nodeId, config }: Node,
  component: Component<never>,
  violationsIn: (text: CheckedText) => readonly NameIssue[],
): readonly GraphIssue[] {
  const common = readNodeConfig(config);
  if (!common.success) return [];
  const { own } = splitExtraConfig(common.data.extra_config, component);
  const texts = [
    ...textsIn(own, expressionPlaces(component)).map((text) => ({ ...text, field: `extra_config.${text.path}` })),
    ...textsIn(promptIn(common.data, component), {}).map((text) => ({ ...text, field: text.path })),
  ];
  return texts.flatMap(({ path, field, template }) => {
    if (field !== path && mayBeMissing(own, configPath(path))) return [];
    const place = field === path ? configPath(path) : ['extra_config', ...configPath(path)];
    const found = violationsIn({ template, isSent: field !== path && isSentFrom(path, component) });
    if (found.length === 0) return [];
    const lines = new Lines(template.text);
    return found.map(({ code, severity, reason, offset, hint, remedy }) => {
      const { line, column } = lines.placeOf(offset);
      const message = `Node '${nodeId}', ${field}: ${reason} (line ${line}, column ${column})${hint}`;
      return { code, severity, nodeId, field, path: place, message, ...(remedy !== undefined && { hint: remedy }) };
    });
  });
}

/** Texts that cannot be parsed are reported with the config. */
function textsIn(config: JsonObject, places: ConfigOptions): readonly ConfigText[] {
  return configTexts(compileConfig(config, { ...places, onError: () => undefined }));
}

function issueOf({ path, offsets }: Reference, nodeId: string, nameable: Nameable): NameIssue | null {
  const [root, key, inner] = path;
  const [rootAt = 0, keyAt = 0, innerAt = 0] = offsets;
  if (root === undefined) return null;
  if (root === 'nodes') {
    if (key === undefined) return null;
    return nodeIssue({ reader: nodeId, name: key, offset: keyAt, port: inner, portOffset: innerAt }, nameable);
  }
  const known = common.get(root);
  if (known === undefined) {
    return nodeIssue({ reader: nodeId, name: root, offset: rootAt, port: key, portOffset: keyAt }, nameable);
  }
  if (root === 'loop') {
    const issue = loopIssue({ reader: nodeId, key, rootAt, keyAt }, nameable);
    if (issue !== null) return issue;
  }
  if (known === null || key === undefined || known.includes(key)) return null;
  return { ...unknown(`'${root}' has no '${key}'`, keyAt, nameable.suggest(key, known)), remedy: listed(known, '') };
}

interface LoopUse {
  readonly reader: string;
  readonly key: string | undefined;
  readonly rootAt: number;
  readonly keyAt: number;
}

/** `loop` exists only in a loop body, and `loop.outer` only in the body of a nested loop. */
function loopIssue({ reader, key, rootAt, keyAt }: LoopUse, { loopOf }: Nameable): NameIssue | null {
  const around = loopsAround(reader, loopOf).length;
  if (around === 0) return unknown("'loop' exists only inside the body of a loop", rootAt, '');
  if (key !== 'outer' || around > 1) return null;
  return unknown("'loop.outer' exists only in nested loops", keyAt, '');
}

function unknown(reason: string, offset: number, hint: string): NameIssue {
  return { code: 'unknown_name', severity: 'error', reason, offset, hint };
}

function* namesIn(nodes: Nameable['nodes']): Iterable<string> {
  yield* common.keys();
  yield 'nodes';
  yield* nodes.keys();
}

/** The names that an expression of a node can use, the other nodes first. */
function* otherNames(nodes: Nameable['nodes'], reader: string): Iterable<string> {
  for (const name of nodes.keys()) if (name !== reader) yield name;
  yield* common.keys();
}

/** A node that an expression names, and the node that has the expression. */
interface NodeUse {
  readonly reader: string;
  readonly name: string;
  readonly offset: number;
  readonly port: string | undefined;
  readonly portOffset: number;
}

function nodeIssue(use: NodeUse, nameable: Nameable): NameIssue | null {
  const { name, offset, port, portOffset } = use;
  const { nodes, catalogue, suggest } = nameable;
  const node = nodes.get(name);
  if (node === undefined) {
    const remedy = listed(otherNames(nodes, use.reader), '');
    return { ...unknown(`Unknown name '${name}'`, offset, suggest(name, namesIn(nodes))), remedy };
  }
  const component = catalogue.get(node.componentType);
  if (component === undefined) return null;
  // A failed node in a workflow that continues has the port `error` in place of its own ports.
  const ports = [...component.outputs.map((output) => output.name), 'error'];
  if (port !== undefined && !ports.includes(port)) {
    const unknownPort = unknown(`Node '${name}' has no port '${port}'`, portOffset, suggest(port, ports));
    return { ...unknownPort, remedy: listed(ports, '') };
  }
  const issue = bodyIssue(use, nameable.loopOf);
  if (issue !== null || hasLink(component, port)) return issue;
  return orderIssue(use, nameable.order);
}

/** Whether there is a value before the node has run: one of its links, or all of them. */
function hasLink({ links = [] }: Component<never>, port: string | undefined): boolean {
  return port === undefined ? links.length > 0 : links.includes(port);
}

/** The nodes of a loop's body can be named only inside the body, and the outputs of the loop only after the loop. */
function bodyIssue({ reader, name, offset }: NodeUse, loopOf: Nameable['loopOf']): NameIssue | null {
  const around = loopsAround(reader, loopOf);
  const place = { code: 'not_run_yet', severity: 'error', offset, hint: '' } as const;
  if (around.includes(name)) {
    return { ...place, reason: `Loop '${name}' has not ended yet while its body runs` };
  }
  const loop = loopOf.get(name);
  if (loop === undefined || around.includes(loop)) return null;
  const reason = `Node '${name}' is in the body of loop '${loop}': outside of it, use '${loop}.results'`;
  return { ...place, reason };
}

function orderIssue({ reader, name, offset }: NodeUse, order: RunOrder): NameIssue | null {
  const place = { offset, hint: '' };
  switch (order.between(name, reader)) {
    case 'before':
      return null;
    case 'never':
      return { code: 'not_run_yet', severity: 'error', reason: `Node '${name}' cannot have run before it`, ...place };
    case 'maybe':
      return {
        code: 'unordered',
        severity: 'warning',
        reason: `Node '${name}' may not have run before it: no edges lead from it to this node`,
        ...place,
      };
  }
}
