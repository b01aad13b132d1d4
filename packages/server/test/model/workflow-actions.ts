import type { Action } from './action.ts';
import { type Model, type Name, rejectionOf } from './model.ts';

const notFound = { detail: 'Workflow not found.' };

/** Creates a workflow; its slug is unique among all users. */
export function create(user: Name, slug: string, isPublic: boolean): Action {
  return (model) => ({
    user,
    method: 'POST',
    path: '',
    body: { name: slug, slug, is_public: isPublic },
    ...(model.workflows.has(slug)
      ? { status: 409, shows: { detail: `Workflow with slug '${slug}' already exists.` } }
      : { status: 201, shows: { slug, node_count: 0, edge_count: 0, is_public: isPublic } }),
    learn: (body) => {
      const { version } = body as { version: number };
      const parts = { nodes: new Map(), edges: new Map() };
      model.workflows.set(slug, { owner: user, name: slug, isPublic, role: null, ...parts, version });
    },
  });
}

/** Reads one with its graph. */
export function read(user: Name, slug: string): Action {
  return (model) => {
    if (rejectionOf(model, user, slug, 'read') !== null) {
      return { user, method: 'GET', path: `${slug}/`, status: 404, shows: notFound };
    }
    const workflow = model.of(slug);
    return {
      user,
      method: 'GET',
      path: `${slug}/`,
      status: 200,
      shows: { slug, name: workflow.name, is_public: workflow.isPublic, ...graphOf(model, slug) },
      learn: (body) => {
        const { version } = body as { version: number };
        if (version < workflow.version) throw new Error(`the version went back to ${version}`);
        workflow.version = version;
      },
    };
  };
}

function graphOf(model: Model, slug: string) {
  const { nodes, edges } = model.of(slug);
  return {
    node_count: nodes.size,
    edge_count: edges.size,
    nodes: [...nodes].map(([node_id, component_type]) => ({ node_id, component_type })),
    edges: [...edges.values()].map(({ id, source, target, condition, priority }) => ({
      id,
      source_node_id: source,
      target_node_id: target,
      condition_value: condition,
      priority,
    })),
  };
}

/** The list contains and counts the workflows that the user owns or collaborates on. */
export function list(user: Name): Action {
  return (model) => {
    const slugs = model.listOf(user).sort();
    return {
      user,
      method: 'GET',
      path: '',
      status: 200,
      shows: { total: slugs.length },
      learn: (body) => {
        const { items } = body as { items: { slug: string }[] };
        const shown = items.map(({ slug }) => slug).sort();
        if (shown.join() !== slugs.join()) throw new Error(`${user} is shown ${shown}, not ${slugs}`);
      },
    };
  };
}

/** Changes the name, which an editor may do, too. */
export function describe(user: Name, slug: string, name: string): Action {
  return (model) => {
    const rejection = rejectionOf(model, user, slug, 'write');
    return {
      user,
      method: 'PATCH',
      path: `${slug}/`,
      body: { name },
      status: rejection ?? 200,
      ...(rejection === null && { shows: { slug, name } }),
      learn: () => {
        model.of(slug).name = name;
      },
    };
  };
}

/** Changes the slug, which only the owner may do, unless it stays the same. */
export function rename(user: Name, slug: string, to: string): Action {
  return (model) => {
    const rejection = rejectionOf(model, user, slug, to === slug ? 'write' : 'own');
    const isTaken = to !== slug && model.workflows.has(to);
    return {
      user,
      method: 'PATCH',
      path: `${slug}/`,
      body: { slug: to },
      status: rejection ?? (isTaken ? 409 : 200),
      learn: () => {
        const workflow = model.of(slug);
        model.workflows.delete(slug);
        model.workflows.set(to, workflow);
      },
    };
  };
}

/** Changes whether it is public, which only the owner may do, unless it stays the same. */
export function publish(user: Name, slug: string, isPublic: boolean): Action {
  return (model) => {
    const stays = model.workflows.get(slug)?.isPublic === isPublic;
    return {
      user,
      method: 'PATCH',
      path: `${slug}/`,
      body: { is_public: isPublic },
      status: rejectionOf(model, user, slug, stays ? 'write' : 'own') ?? 200,
      learn: () => {
        model.of(slug).isPublic = isPublic;
      },
    };
  };
}

/** Deletes it, which only the owner may do. */
export function remove(user: Name, slug: string): Action {
  return (model) => ({
    user,
    method: 'DELETE',
    path: `${slug}/`,
    status: rejectionOf(model, user, slug, 'own') ?? 204,
    learn: () => void model.workflows.delete(slug),
  });
}

/** Deletes two at once; only those of the user are deleted. */
export function removeAll(user: Name, slugs: readonly string[]): Action {
  return (model) => ({
    user,
    method: 'POST',
    path: 'batch-delete/',
    body: { slugs },
    status: 204,
    learn: () => {
      for (const slug of slugs) if (model.standing(user, slug) === 'owner') model.workflows.delete(slug);
    },
  });
}
