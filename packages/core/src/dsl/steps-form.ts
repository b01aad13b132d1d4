import { z } from 'zod';
import type { Catalogue } from '../component/component.ts';
import { labelOfSlot, switchType } from '../graph/edge-rules.ts';
import type { EdgeLabel } from '../graph/graph.ts';
import { nodeFields } from '../graph/graph-fields.ts';
import { maxNodes } from '../graph/graph-limits.ts';
import { loopType } from '../graph/loop-bodies.ts';
import { componentTypeOf, triggerTypeOf, usualTypes } from '../graph/step-types.ts';
import type { Json } from '../json.ts';
import type { Draft, DraftNode, PlacedEdge } from './draft.ts';
import { NodeReader } from './node-reader.ts';
import type { Reader } from './reader.ts';
import { readRoutes } from './step-routes.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

/** The keys of a text in the steps form, in addition to those of every text. */
export const stepsKeys = ['trigger', 'model', 'steps'] as const;

/** The nodes and edges of a text in the steps form. */
export function readStepsForm(reader: Reader, catalogue: Catalogue): Omit<Draft, 'header'> {
  const form = new StepsForm(reader, catalogue);
  form.read();
  return { nodes: form.nodes, edges: form.edges, layout: new Map() };
}

// Created once: creating a schema costs more than using it.
const anyText = z.string();
const textOrNothing = z.string().nullable();
const namesOfSteps = z.union([z.string(), z.array(z.string())]).nullable();

/** The step that another step follows, and the label of the edge between them. */
type Before = { readonly id: string; readonly label: EdgeLabel } | null;

/** The step that is being read. */
interface Step {
  readonly path: YamlPath;
  readonly nodeId: string;
  readonly componentType: string;
  /** The sub-components that it accepts: the key of each, and the label of its edge. */
  readonly slots: ReadonlyMap<string, EdgeLabel>;
}

class StepsForm {
  readonly nodes: DraftNode[] = [];
  readonly edges: PlacedEdge[] = [];
  readonly #reader: Reader;
  readonly #catalogue: Catalogue;
  readonly #nodeReader: NodeReader;
  /** The steps that a route leads to: none of them follows the previous step. */
  readonly #targets = new Set<string>();
  /** The model of all steps without their own model. */
  #model: DraftNode | null = null;

  constructor(reader: Reader, catalogue: Catalogue) {
    this.#reader = reader;
    this.#catalogue = catalogue;
    this.#nodeReader = new NodeReader(reader, catalogue);
  }

  read(): void {
    const trigger = this.#readTrigger(['trigger']);
    if (this.#reader.nodeAt(['model']) !== undefined)
      this.#model = this.#addPart(['model'], { nodeId: 'model', componentType: 'ai_model' });
    this.#readSteps(['steps'], trigger === null ? null : { id: trigger, label: '' });
  }

  /** The name of the trigger; null if nothing starts the workflow. */
  #readTrigger(path: YamlPath): string | null {
    const node = this.#reader.nodeAt(path);
    if (node === undefined) return null;
    const isMap = node.kind === 'map';
    const typePath = isMap ? [...path, 'type'] : path;
    const name = this.#nodeReader.required(typePath, anyText);
    if (name === null || name === 'none') return null;
    const part = { nodeId: 'start', componentType: triggerTypeOf(name, this.#catalogue) };
    return isMap ? this.#addPart(path, part).nodeId : this.#addNode(path, { ...part, keys: [] }).nodeId;
  }

  /** Reads a list of steps, the first of which follows `before`; returns the last, which the next step follows. */
  #readSteps(path: YamlPath, before: Before): Before {
    let previous = before;
    const count = this.#reader.countAt(path, `'${path.at(-1)}'`);
    // One node over the limit is enough to report it.
    for (let index = 0; index < count && this.nodes.length <= maxNodes; index += 1)
      previous = this.#readStep([...path, index], previous);
    return previous;
  }

  #readStep(path: YamlPath, previous: Before): Before {
    const keys = this.#reader.keysAt(path, 'A step');
    if (keys === null) return previous;
    const nodeId = this.#nodeReader.required([...path, 'id'], nodeFields.node_id);
    const name = this.#nodeReader.required([...path, 'type'], anyText);
    if (nodeId === null || name === null) return previous;
    const componentType = componentTypeOf(name, this.#catalogue);
    const step: Step = { path, nodeId, componentType, slots: this.#slotsOf(componentType) };
    const own = ownKeys.get(componentType);
    const rest = keys.filter((key) => key !== 'after' && !step.slots.has(key) && own?.has(key) !== true);
    this.#addNode(path, { nodeId, componentType, keys: rest });
    this.#follow(step, previous);
    for (const [key, label] of step.slots) this.#readSlot(step, key, label);
    return this.#readOwn(step);
  }

  /** Reads the keys that the step's type has only in this form; returns what the next step follows. */
  #readOwn({ path, nodeId, componentType }: Step): Before {
    if (componentType === switchType) {
      const { config, links } = readRoutes(this.#reader, path);
      this.#amend(nodeId, config, path);
      for (const { route, to, place } of links) {
        this.#targets.add(to);
        this.#connect({ from: nodeId, to, route }, place);
      }
      // Only the targets of its routes follow a switch.
      return null;
    }
    if (componentType === loopType) {
      const over = this.#reader.jsonAt([...path, 'over']);
      if (over !== undefined) this.#amend(nodeId, { items: over }, path, 'over');
      const first = this.nodes.length;
      this.#readSteps([...path, 'body'], { id: nodeId, label: 'loop_body' });
      this.#returnTo(nodeId, first, [...path, 'body']);
    }
    return { id: nodeId, label: '' };
  }

  /** Steps of a body without a next step return to the loop, as each branch of a switch does. */
  #returnTo(loop: string, first: number, path: YamlPath): void {
    const leadsOn = new Set(
      this.edges.filter(({ edge }) => edge.edgeLabel !== 'loop_body').map(({ edge }) => edge.sourceNodeId),
    );
    for (const { nodeId, componentType } of this.nodes.slice(first)) {
      const isStep = this.#catalogue.get(componentType)?.run !== undefined;
      if (isStep && !leadsOn.has(nodeId)) this.#connect({ from: nodeId, to: loop, label: 'loop_return' }, path);
    }
  }

  /** A step follows the steps that it names, else the previous step, unless a route leads to it. */
  #follow({ path, nodeId }: Step, previous: Before): void {
    const place = [...path, 'after'];
    const named = this.#reader.read(place, namesOfSteps, null);
    if (named !== null) {
      for (const from of new Set([named].flat())) this.#connect({ from, to: nodeId }, place);
    } else if (previous !== null && !this.#targets.has(nodeId)) {
      this.#connect({ from: previous.id, to: nodeId, label: previous.label }, path);
    }
  }

  /** The sub-components of a step: a model may be given by name, tools are a list. */
  #readSlot(step: Step, key: string, label: EdgeLabel): void {
    const path = [...step.path, key];
    const node = this.#reader.nodeAt(path);
    if (node === undefined) {
      if (label === 'llm' && this.#model !== null)
        this.#connect({ from: this.#model.nodeId, to: step.nodeId, label }, step.path);
      return;
    }
    const places = node.kind === 'list' ? node.items.map((_item, index) => [...path, index]) : [path];
    for (const place of places) this.#readPart(place, step, label);
  }

  #readPart(path: YamlPath, { nodeId: to }: Step, label: EdgeLabel): void {
    const node = this.#reader.nodeAt(path);
    const usual = usualTypes.get(label);
    const isModelName = label === 'llm' && node?.kind === 'scalar';
    const given = node?.kind === 'map' ? this.#reader.read([...path, 'type'], textOrNothing, null) : null;
    const name = given ?? (node?.kind === 'scalar' && !isModelName ? this.#nodeReader.required(path, anyText) : usual);
    if (name === undefined) this.#reader.report({ code: 'field', message: "'type' is missing here." }, path);
    if (name === undefined || name === null) return;
    const componentType = componentTypeOf(name, this.#catalogue);
    const nodeId = `${to}_${label === 'llm' ? 'model' : label === 'tool' ? name : label}`;
    const part = this.#addPart(path, { nodeId, componentType });
    this.#connect({ from: part.nodeId, to, label }, path);
  }

  /** A node given as a map, or a model given by name, which takes all other settings from the common model. */
  #addPart(path: YamlPath, usual: { readonly nodeId: string; readonly componentType: string }): DraftNode {
    const { kind } = this.#reader.nodeAt(path) ?? {};
    const keys = kind === 'map' ? (this.#reader.keysAt(path, 'This') ?? []) : [];
    const nodeId = kind === 'map' ? this.#reader.read([...path, 'id'], nodeFields.node_id, usual.nodeId) : usual.nodeId;
    const node = this.#addNode(path, { ...usual, nodeId, keys });
    const value = this.#reader.jsonAt(path);
    if (usual.componentType !== 'ai_model' || typeof value !== 'string') return node;
    const { config, credentials } = this.#model ?? node;
    const named = { ...node, credentials, config: { ...config, model_name: value } };
    this.nodes[this.nodes.length - 1] = named;
    return named;
  }

  #addNode(path: YamlPath, given: Parameters<NodeReader['readAs']>[1]): DraftNode {
    const node = this.#nodeReader.readAs(path, given);
    this.nodes.push(node);
    return node;
  }

  /** Adds keys to the own config of the last added node with this id. */
  #amend(nodeId: string, extra: Readonly<Record<string, Json>>, path: YamlPath, word?: string): void {
    const index = this.nodes.findLastIndex((node) => node.nodeId === nodeId);
    const node = this.nodes[index];
    if (node === undefined) return;
    const origins = new Map(node.origins);
    for (const key of Object.keys(extra)) origins.set(`extra_config.${key}`, [...path, word ?? key]);
    const config = { ...node.config, extra_config: { ...node.config.extra_config, ...extra } };
    this.nodes[index] = { ...node, config, origins };
  }

  #connect(
    link: { readonly from: string; readonly to: string; readonly label?: EdgeLabel; readonly route?: string },
    path: YamlPath,
  ): void {
    const { from, to, label = '', route } = link;
    const kind = route === undefined ? ('direct' as const) : ('conditional' as const);
    const ends = { sourceNodeId: from, targetNodeId: to };
    const rest = { conditionMapping: null, conditionValue: route ?? '', priority: 0 };
    this.edges.push({ edge: { ...ends, edgeType: kind, edgeLabel: label, ...rest }, path });
  }

  #slotsOf(componentType: string): ReadonlyMap<string, EdgeLabel> {
    const component = this.#catalogue.get(componentType);
    const named = (component?.subInputs ?? []).map(({ name }) => [name, labelOfSlot(name)] as const);
    return new Map(named.filter((slot): slot is readonly [string, EdgeLabel] => slot[1] !== undefined));
  }
}

/** The keys that a type has only in this form. */
const ownKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [switchType, new Set(['rules', 'default'])],
  [loopType, new Set(['over', 'body'])],
]);
