import {
  type Edge,
  type EdgeFields,
  isObject,
  isSameJson,
  type Json,
  type JsonObject,
  type Node,
} from '@millrace/core/editing';
import type { DraftOperation } from './operation.ts';

/** A value that two people changed. Undefined means that it is not set. */
export interface ContestedValue {
  /** What has the value: the name of a node, or the ends of an edge. */
  readonly owner: string;
  /** The name or the key in the operation that would change it. */
  readonly target?: string;
  /** The path of the value: `label`, `position`, `config.extra_config.body`. */
  readonly path: string;
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
}

/** An object before and after others changed it. */
export interface ChangedObject<T> {
  readonly before: T;
  readonly after: T;
}

/** An operation without the values that others changed as well. */
export interface Divided<Operation> {
  /** Null if nothing is left. */
  readonly free: Operation | null;
  readonly contested: Operation;
  readonly values: readonly ContestedValue[];
}

type Update<Kind extends DraftOperation['op']> = Extract<DraftOperation, { op: Kind }>;
type Leaves = ReadonlyMap<string, Json | undefined>;

/** An update of a node that others changed; null if both changed different values, or to the same ones. */
export function dividedNodeUpdate(
  operation: Update<'update_node'>,
  { before, after }: ChangedObject<Node>,
): Divided<Update<'update_node'>> | null {
  const mine = leavesOf(operation.changes);
  const values = contestedValues(mine, { before: leavesOf(before), after: leavesOf(after), owner: after.nodeId });
  if (values.length === 0) return null;
  const paths = new Set(values.map(({ path }) => path));
  const part = (isContested: boolean) => withLeaves(operation.changes, (path) => paths.has(path) === isContested);
  const free = part(false);
  return {
    free: Object.keys(free).length === 0 ? null : { ...operation, changes: free },
    contested: { ...operation, changes: part(true) },
    values,
  };
}

/** The same for an edge. */
export function dividedEdgeUpdate(
  operation: Update<'update_edge'>,
  { before, after }: ChangedObject<Edge>,
): Divided<Update<'update_edge'>> | null {
  const owner = edgeName(after);
  const given = { before: new Map(fieldsOf(before)), after: new Map(fieldsOf(after)), owner };
  const values = contestedValues(new Map(fieldsOf(operation.changes)), given);
  if (values.length === 0) return null;
  const paths = new Set(values.map(({ path }) => path));
  const part = (isContested: boolean) =>
    Object.fromEntries(
      fieldsOf(operation.changes).filter(([key]) => paths.has(key) === isContested),
    ) as Partial<EdgeFields>;
  const free = part(false);
  return {
    free: Object.keys(free).length === 0 ? null : { ...operation, changes: free },
    contested: { ...operation, changes: part(true) },
    values,
  };
}

/** The values that an update would give to a node or edge, and its present ones where they differ. */
export function differingValues(changes: object, present: Node | Edge): readonly ContestedValue[] {
  const [mine, now] = [leavesOf(changes), leavesOf(present)];
  const owner = 'nodeId' in present ? present.nodeId : edgeName(present);
  return [...mine]
    .filter(([path, value]) => !isSame(value, now.get(path)))
    .map(([path, value]) => ({ owner, path, mine: value, theirs: now.get(path) }));
}

/** A contested value with what is there now: it may have changed once more. */
export function withPresent(value: ContestedValue, nodes: readonly Node[]): ContestedValue {
  const node = nodes.find(({ nodeId }) => nodeId === value.owner);
  if (node === undefined) return value;
  const theirs = leavesOf(node).get(value.path);
  return isSame(theirs, value.theirs) ? value : { ...value, theirs };
}

/** Whether a node has what others made of a contested value. */
export function hasTheirs(node: Node, { path, theirs }: Pick<ContestedValue, 'path' | 'theirs'>): boolean {
  return isSame(leavesOf(node).get(path), theirs);
}

/** The name of the node, or the key of the edge, that an operation updates; null if it is no update. */
export function targetOf(operation: DraftOperation): string | null {
  if (operation.op === 'update_node') return operation.nodeId;
  return operation.op === 'update_edge' ? operation.key : null;
}

/** What an update gives to its node or edge, by path. */
export function updatedValues(operation: Update<'update_node' | 'update_edge'>): Leaves {
  return leavesOf(operation.changes);
}

/** An update of only some values; null if that is none. */
export function updateOf(
  operation: Update<'update_node' | 'update_edge'>,
  isKept: (path: string) => boolean,
): DraftOperation | null {
  if (operation.op === 'update_node') {
    const changes = withLeaves(operation.changes, isKept);
    return Object.keys(changes).length === 0 ? null : { ...operation, changes };
  }
  const fields = fieldsOf(operation.changes).filter(([key]) => isKept(key));
  return fields.length === 0 ? null : { ...operation, changes: Object.fromEntries(fields) as Partial<EdgeFields> };
}

/** Why an operation is not performed. */
export function reasonFor(values: readonly ContestedValue[]): string {
  const owners = [...new Set(values.map(({ owner }) => `'${owner}'`))].join(', ');
  return `Somebody else changed the same ${values.length === 1 ? 'value' : 'values'} of ${owners}.`;
}

/** What an edge is called in messages. */
export function edgeName({ sourceNodeId, targetNodeId }: Pick<Edge, 'sourceNodeId' | 'targetNodeId'>): string {
  return `${sourceNodeId} → ${targetNodeId}`;
}

interface Compared {
  readonly before: Leaves;
  readonly after: Leaves;
  readonly owner: string;
}

function contestedValues(mine: Leaves, { before, after, owner }: Compared): readonly ContestedValue[] {
  return [...mine].flatMap(([path, value]) => {
    const theirs = after.get(path);
    if (isSame(before.get(path), theirs) || isSame(value, theirs)) return [];
    return [{ owner, path, mine: value, theirs }];
  });
}

/** The values of a node, or those that an update of it changes. A place is one value, and each key of a config is. */
function leavesOf(fields: object): Leaves {
  const { config, positionX, positionY, id: _id, updatedAt: _at, ...rest } = fields as Partial<Node>;
  const place: [string, Json][] = positionX === undefined ? [] : [['position', [positionX, positionY ?? 0]]];
  const { extra_config: extra, ...common } = (config ?? {}) as JsonObject;
  const inside = isObject(extra ?? null) ? Object.entries(extra as JsonObject) : [];
  return new Map<string, Json | undefined>([
    ...(Object.entries(rest) as [string, Json][]),
    ...place,
    ...Object.entries(common).map(([key, value]): [string, Json] => [`config.${key}`, value]),
    // A key that is null in an update is removed.
    ...inside.map(([key, value]): [string, Json | undefined] => [`config.extra_config.${key}`, value ?? undefined]),
  ]);
}

function withLeaves(changes: Update<'update_node'>['changes'], isKept: (path: string) => boolean) {
  const { config, positionX, positionY, ...rest } = changes;
  const fields = Object.entries(rest).filter(([key]) => isKept(key));
  const hasPlace = positionX !== undefined && isKept('position');
  const kept = config === undefined ? {} : keptConfig(config as JsonObject, isKept);
  return {
    ...Object.fromEntries(fields),
    ...(hasPlace && { positionX, ...(positionY !== undefined && { positionY }) }),
    ...(Object.keys(kept).length > 0 && { config: kept }),
  } as Update<'update_node'>['changes'];
}

function keptConfig({ extra_config: extra, ...common }: JsonObject, isKept: (path: string) => boolean): JsonObject {
  const fields = Object.entries(common).filter(([key]) => isKept(`config.${key}`));
  const inside = isObject(extra ?? null) ? Object.entries(extra as JsonObject) : [];
  const keptInside = inside.filter(([key]) => isKept(`config.extra_config.${key}`));
  return {
    ...Object.fromEntries(fields),
    ...(keptInside.length > 0 && { extra_config: Object.fromEntries(keptInside) }),
  };
}

function fieldsOf(edge: Partial<Edge>): [string, Json][] {
  const { id: _id, ...fields } = edge;
  return Object.entries(fields) as [string, Json][];
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one, other);
}
