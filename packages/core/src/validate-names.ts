import type { Catalogue, Component } from './component.ts';
import { promptIn, splitExtraConfig } from './config-check.ts';
import { type ConfigText, compileConfig, configTexts } from './expression/config.ts';
import type { ConfigOptions } from './expression/config-text.ts';
import { placeAt } from './expression/expression-error.ts';
import { type Reference, templateReferences } from './expression/references.ts';
import { configPath, expressionPlaces, mayBeMissing } from './expression-places.ts';
import type { Node } from './graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { JsonObject } from './json.ts';
import { suggestion } from './nearest.ts';
import { nodeConfig } from './node-config.ts';

/** What expressions can name: the nodes of the graph by their names, and their types. */
export interface Nameable {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
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
  const common = nodeConfig.safeParse(config);
  if (!common.success) return [];
  const { own } = splitExtraConfig(common.data.extra_config, component);
  const texts = [
    ...textsIn(own, expressionPlaces(component)).map((text) => ({ ...text, field: `extra_config.${text.path}` })),
    ...textsIn(promptIn(common.data, component), {}).map((text) => ({ ...text, field: text.path })),
  ];
  return texts.flatMap(({ path, field, template }) => {
    if (field !== path && mayBeMissing(own, configPath(path))) return [];
    return templateReferences(template).flatMap((reference) => {
      const unknown = reference.isOptional ? null : unknownName(reference, nameable);
      if (unknown === null) return [];
      const { line, column } = placeAt(template.text, unknown.offset);
      const message = `Node '${nodeId}', ${field}: ${unknown.reason} (line ${line}, column ${column})${unknown.hint}`;
      return [{ code: 'unknown_name', severity: 'error', nodeId, field, message }];
    });
  });
}

/** Texts that cannot be read are reported with the config. */
function textsIn(config: JsonObject, places: ConfigOptions): readonly ConfigText[] {
  return configTexts(compileConfig(config, { ...places, onError: () => undefined }));
}

interface Unknown {
  readonly reason: string;
  readonly offset: number;
  readonly hint: string;
}

function unknownName({ path, offsets }: Reference, nameable: Nameable): Unknown | null {
  const [root, key, inner] = path;
  const [rootAt = 0, keyAt = 0, innerAt = 0] = offsets;
  if (root === undefined) return null;
  if (root === 'nodes') {
    if (key === undefined) return null;
    return (
      unknownNode(key, keyAt, nameable.nodes.keys()) ??
      unknownPort({ nodeId: key, port: inner, offset: innerAt }, nameable)
    );
  }
  const known = common.get(root);
  if (known === undefined) {
    const names = [...common.keys(), 'nodes', ...nameable.nodes.keys()];
    return unknownNode(root, rootAt, names) ?? unknownPort({ nodeId: root, port: key, offset: keyAt }, nameable);
  }
  if (known === null || key === undefined || known.includes(key)) return null;
  return { reason: `'${root}' has no '${key}'`, offset: keyAt, hint: suggestion(key, known) };
}

function unknownNode(name: string, offset: number, names: Iterable<string>): Unknown | null {
  const all = new Set(names);
  if (all.has(name)) return null;
  return { reason: `Unknown name '${name}'`, offset, hint: suggestion(name, all) };
}

interface PortUse {
  readonly nodeId: string;
  readonly port: string | undefined;
  readonly offset: number;
}

function unknownPort({ nodeId, port, offset }: PortUse, { nodes, catalogue }: Nameable): Unknown | null {
  const component = catalogue.get(nodes.get(nodeId)?.componentType ?? '');
  if (component === undefined || port === undefined) return null;
  // A node that failed, and whose workflow goes on, has the port `error` instead of its own.
  const ports = [...component.outputs.map(({ name }) => name), 'error'];
  if (ports.includes(port)) return null;
  return { reason: `Node '${nodeId}' has no port '${port}'`, offset, hint: suggestion(port, ports) };
}
