import type { Catalogue, Component } from './component.ts';
import { promptIn, splitExtraConfig } from './config-check.ts';
import { type ConfigText, compileConfig, configTexts } from './expression/config.ts';
import type { ConfigOptions } from './expression/config-text.ts';
import { type Reference, templateReferences } from './expression/references.ts';
import { configPath, expressionPlaces, mayBeMissing } from './expression-places.ts';
import type { Node } from './graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { JsonObject } from './json.ts';
import { Lines } from './lines.ts';
import { readNodeConfig } from './node-config.ts';
import type { RunOrder } from './run-order.ts';

/** What expressions can name: the nodes of the graph by their names, and their types. */
export interface Nameable {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
  readonly order: RunOrder;
  /** ` Did you mean …?`, or nothing. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
}

/** Names that every run has, and what is in those whose content is always the same. */
const common: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['trigger', ['payload', 'text']],
  ['input', null],
  ['run', ['id', 'started_at', 'workflow']],
  ['vars', null],
  ['loop', ['item', 'index', 'total']],
]);

/** Every name in a node's expressions that nothing has: a name of a node, or of one of its ports. */
export function checkNames(
  { nodeId, config }: Node,
  component: Component<never>,
  nameable: Nameable,
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
    let lines: Lines | undefined;
    return templateReferences(template).flatMap((reference) => {
      const fault = reference.isOptional ? null : faultOf(reference, nodeId, nameable);
      if (fault === null) return [];
      const { code, severity, reason, offset, hint } = fault;
      lines ??= new Lines(template.text);
      const { line, column } = lines.placeOf(offset);
      const message = `Node '${nodeId}', ${field}: ${reason} (line ${line}, column ${column})${hint}`;
      return [{ code, severity, nodeId, field, path: place, message }];
    });
  });
}

/** Texts that cannot be read are reported with the config. */
function textsIn(config: JsonObject, places: ConfigOptions): readonly ConfigText[] {
  return configTexts(compileConfig(config, { ...places, onError: () => undefined }));
}

interface Fault extends Pick<GraphIssue, 'code' | 'severity'> {
  readonly reason: string;
  readonly offset: number;
  readonly hint: string;
}

function faultOf({ path, offsets }: Reference, nodeId: string, nameable: Nameable): Fault | null {
  const [root, key, inner] = path;
  const [rootAt = 0, keyAt = 0, innerAt = 0] = offsets;
  if (root === undefined) return null;
  if (root === 'nodes') {
    if (key === undefined) return null;
    return nodeFault({ reader: nodeId, name: key, offset: keyAt, port: inner, portOffset: innerAt }, nameable);
  }
  const known = common.get(root);
  if (known === undefined) {
    return nodeFault({ reader: nodeId, name: root, offset: rootAt, port: key, portOffset: keyAt }, nameable);
  }
  if (known === null || key === undefined || known.includes(key)) return null;
  return unknown(`'${root}' has no '${key}'`, keyAt, nameable.suggest(key, known));
}

function unknown(reason: string, offset: number, hint: string): Fault {
  return { code: 'unknown_name', severity: 'error', reason, offset, hint };
}

function* namesIn(nodes: Nameable['nodes']): Iterable<string> {
  yield* common.keys();
  yield 'nodes';
  yield* nodes.keys();
}

/** A node that an expression names, and whose expression it is. */
interface NodeUse {
  readonly reader: string;
  readonly name: string;
  readonly offset: number;
  readonly port: string | undefined;
  readonly portOffset: number;
}

function nodeFault(use: NodeUse, nameable: Nameable): Fault | null {
  const { name, offset, port, portOffset } = use;
  const { nodes, catalogue, suggest } = nameable;
  const node = nodes.get(name);
  if (node === undefined) {
    return unknown(`Unknown name '${name}'`, offset, suggest(name, namesIn(nodes)));
  }
  const component = catalogue.get(node.componentType);
  if (component === undefined) return null;
  // A node that failed, and whose workflow goes on, has the port `error` instead of its own.
  const ports = [...component.outputs.map((output) => output.name), 'error'];
  if (port !== undefined && !ports.includes(port)) {
    return unknown(`Node '${name}' has no port '${port}'`, portOffset, suggest(port, ports));
  }
  return orderFault(use, nameable.order);
}

function orderFault({ reader, name, offset }: NodeUse, order: RunOrder): Fault | null {
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
        reason: `Node '${name}' need not have run before it: no edges lead from there to here`,
        ...place,
      };
  }
}
