/** The two users of the service. */
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

/** The expected state of a workflow. */
export interface ModelWorkflow {
  readonly owner: Name;
  name: string;
  isPublic: boolean;
  /** The role of the other user, if it is shared. */
  role: Role | null;
  /** Node names and their types, in the order of creation. */
  readonly nodes: Map<string, string>;
  readonly edges: Map<number, ModelEdge>;
  /** The last seen version, which never decreases. */
  version: number;
}

/** A credential of a model provider. */
export interface ModelCredential {
  readonly name: string;
  readonly secret: string;
}

/** The expected state of the service, in simple maps. */
export class Model {
  readonly workflows = new Map<string, ModelWorkflow>();
  /** By id. */
  readonly credentials = new Map<number, ModelCredential>();

  /** The access of a user to a workflow; null if it does not exist for them. */
  standing(user: Name, slug: string): 'owner' | Role | 'public' | null {
    const workflow = this.workflows.get(slug);
    if (workflow === undefined) return null;
    if (workflow.owner === user) return 'owner';
    return workflow.role ?? (workflow.isPublic ? 'public' : null);
  }

  /** The workflow, for an action that was allowed. */
  of(slug: string): ModelWorkflow {
    const workflow = this.workflows.get(slug);
    if (workflow === undefined) throw new Error(`the model has no workflow ${slug}`);
    return workflow;
  }

  /** The slugs in a user's list. */
  listOf(user: Name): string[] {
    return [...this.workflows]
      .filter(([slug]) => ['owner', 'editor', 'viewer'].includes(this.standing(user, slug) ?? ''))
      .map(([slug]) => slug);
  }
}

/** The status of the rejection if a user may not do this with a workflow, otherwise null. */
export function rejectionOf(model: Model, user: Name, slug: string, needs: 'read' | 'write' | 'own'): 404 | 403 | null {
  const standing = model.standing(user, slug);
  if (standing === null) return 404;
  if (needs === 'read' || standing === 'owner') return null;
  return needs === 'write' && standing === 'editor' ? null : 403;
}
