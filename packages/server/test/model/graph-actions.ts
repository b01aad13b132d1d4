import type { Action } from './action.ts';
import { type Model, type ModelEdge, type Name, rejectionOf } from './model.ts';

/** Adds a node. */
export function addNode(user: Name, slug: string, node: { readonly id: string; readonly type: string }): Action {
  return (model) => {
    const rejection = rejectionOf(model, user, slug, 'write');
    const isTaken = model.workflows.get(slug)?.nodes.has(node.id) ?? false;
    return {
      user,
      method: 'POST',
      path: `${slug}/nodes/`,
      body: { node_id: node.id, component_type: node.type },
      status: rejection ?? (isTaken ? 409 : 201),
      ...(rejection === null && isTaken && { shows: { detail: `Node with id '${node.id}' already exists.` } }),
      learn: () => void model.of(slug).nodes.set(node.id, node.type),
    };
  };
}

/** Renames a node, also in its edges. */
export function renameNode(
  user: Name,
  slug: string,
  { from, to }: { readonly from: string; readonly to: string },
): Action {
  return (model) => {
    const nodes = model.workflows.get(slug)?.nodes;
    const rejection = rejectionOf(model, user, slug, 'write') ?? (nodes?.has(from) ? null : 404);
    const isTaken = to !== from && (nodes?.has(to) ?? false);
    return {
      user,
      method: 'PATCH',
      path: `${slug}/nodes/${from}/`,
      body: { node_id: to },
      status: rejection ?? (isTaken ? 409 : 200),
      learn: () => followRename(model, slug, { from, to }),
    };
  };
}

function followRename(model: Model, slug: string, { from, to }: { readonly from: string; readonly to: string }): void {
  const { nodes, edges } = model.of(slug);
  const renamed = [...nodes].map(([id, type]) => [id === from ? to : id, type] as const);
  nodes.clear();
  for (const [id, type] of renamed) nodes.set(id, type);
  const followed = (name: string): string => (name === from ? to : name);
  for (const edge of [...edges.values()]) {
    edges.set(edge.id, { ...edge, source: followed(edge.source), target: followed(edge.target) });
  }
}

/** Deletes a node with its edges. */
export function removeNode(user: Name, slug: string, id: string): Action {
  return (model) => ({
    user,
    method: 'DELETE',
    path: `${slug}/nodes/${id}/`,
    status: rejectionOf(model, user, slug, 'write') ?? (model.of(slug).nodes.has(id) ? 204 : 404),
    learn: () => {
      const { nodes, edges } = model.of(slug);
      nodes.delete(id);
      for (const edge of [...edges.values()]) if (edge.source === id || edge.target === id) edges.delete(edge.id);
    },
  });
}

type Draft = Omit<ModelEdge, 'id'>;

/** Adds an edge; one with a condition is conditional. */
export function addEdge(user: Name, slug: string, draft: Draft): Action {
  return (model) => ({
    user,
    method: 'POST',
    path: `${slug}/edges/`,
    body: wireOf(draft),
    status: rejectionOf(model, user, slug, 'write') ?? edgeRejection(model, slug, draft) ?? 201,
    learn: (body) => {
      const { id } = body as { id: number };
      model.of(slug).edges.set(id, { ...draft, id });
    },
  });
}

/** Changes the target of an existing edge. */
export function moveEdge(
  user: Name,
  slug: string,
  { nth, target }: { readonly nth: number; readonly target: string },
): Action {
  return (model) => {
    const edge = nthEdge(model, slug, nth);
    const rejection = rejectionOf(model, user, slug, 'write') ?? (edge === undefined ? 404 : null);
    const moved = edge === undefined ? null : { ...edge, target };
    return {
      user,
      method: 'PATCH',
      path: `${slug}/edges/${edge?.id ?? 999_999}/`,
      body: { target_node_id: target },
      status: rejection ?? (moved === null ? null : edgeRejection(model, slug, moved, moved.id)) ?? 200,
      learn: () => {
        if (moved !== null) model.of(slug).edges.set(moved.id, moved);
      },
    };
  };
}

/** Deletes an existing edge. */
export function removeEdge(user: Name, slug: string, nth: number): Action {
  return (model) => {
    const edge = nthEdge(model, slug, nth);
    return {
      user,
      method: 'DELETE',
      path: `${slug}/edges/${edge?.id ?? 999_999}/`,
      status: rejectionOf(model, user, slug, 'write') ?? (edge === undefined ? 404 : 204),
      learn: () => {
        if (edge !== undefined) model.of(slug).edges.delete(edge.id);
      },
    };
  };
}

function nthEdge(model: Model, slug: string, nth: number): ModelEdge | undefined {
  const edges = [...(model.workflows.get(slug)?.edges.values() ?? [])];
  return edges[nth % Math.max(1, edges.length)];
}

function wireOf({ source, target, condition, priority }: Draft) {
  const ends = { source_node_id: source, target_node_id: target, priority };
  return condition === '' ? ends : { ...ends, edge_type: 'conditional', condition_value: condition };
}

/** The rules of edges for the node types of the model: all are compatible, except that triggers have no input. */
function edgeRejection(model: Model, slug: string, draft: Draft, id?: number): 422 | 409 | null {
  const { nodes, edges } = model.of(slug);
  const { source, target, condition } = draft;
  if (condition !== '' && nodes.get(source) !== 'switch') return 422;
  if (source === target) return 422;
  if (nodes.has(source) && nodes.get(target) === 'trigger_manual') return 422;
  const isDuplicate = [...edges.values()].some(
    (edge) => edge.id !== id && edge.source === source && edge.target === target && edge.condition === condition,
  );
  return isDuplicate ? 409 : null;
}
