/** The two who use the service. */
export type Name = 'first' | 'second';

export function otherThan(name: Name): Name {
  return name === 'first' ? 'second' : 'first';
}

export type Role = 'editor' | 'viewer';

export interface ModelEdge {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  /** Empty for a direct edge. */
  readonly condition: string;
  readonly priority: number;
}

/** A workflow as somebody who only listened would remember it. */
export interface ModelWorkflow {
  readonly owner: Name;
  name: string;
  isPublic: boolean;
  /** What the other one may do, where it is shared with them. */
  role: Role | null;
  /** Node names and their types, in the order they were made. */
  readonly nodes: Map<string, string>;
  readonly edges: Map<number, ModelEdge>;
  /** What its version was when last seen: it never goes back. */
  version: number;
}

/** A credential of a model provider. */
export interface ModelCredential {
  readonly name: string;
  readonly secret: string;
}

/** What the service should hold, in maps and nothing else. */
export class Model {
  readonly workflows = new Map<string, ModelWorkflow>();
  /** By id. */
  readonly credentials = new Map<number, ModelCredential>();

  /** What somebody is to a workflow; null where it does not exist for them. */
  standing(user: Name, slug: string): 'owner' | Role | 'public' | null {
    const workflow = this.workflows.get(slug);
    if (workflow === undefined) return null;
    if (workflow.owner === user) return 'owner';
    return workflow.role ?? (workflow.isPublic ? 'public' : null);
  }

  /** The workflow, for a deed that was allowed. */
  of(slug: string): ModelWorkflow {
    const workflow = this.workflows.get(slug);
    if (workflow === undefined) throw new Error(`the model has no workflow ${slug}`);
    return workflow;
  }

  /** The slugs that a user's list shows. */
  listOf(user: Name): string[] {
    return [...this.workflows]
      .filter(([slug]) => ['owner', 'editor', 'viewer'].includes(this.standing(user, slug) ?? ''))
      .map(([slug]) => slug);
  }
}

/** What keeps a user from changing a workflow: the status, or null where nothing does. */
export function rejectionOf(model: Model, user: Name, slug: string, needs: 'read' | 'write' | 'own'): 404 | 403 | null {
  const standing = model.standing(user, slug);
  if (standing === null) return 404;
  if (needs === 'read' || standing === 'owner') return null;
  return needs === 'write' && standing === 'editor' ? null : 403;
}
