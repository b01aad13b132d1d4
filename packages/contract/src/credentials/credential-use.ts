import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';

/** A node that uses a credential. */
const credentialUse = named(
  'CredentialUse',
  z.object({
    workflow_slug: z.string(),
    node_id: z.string().describe('Of the newest version of the workflow, of the published one, or of both.'),
  }),
  { description: 'A node that uses a credential.', example: { workflow_slug: 'orders', node_id: 'writer' } },
);

export const credentialUseList = pageOf('CredentialUseList', credentialUse);

/** The body of a 409 for the deletion of credentials in use. */
export const credentialInUse = named(
  'CredentialInUse',
  credentialUseList.extend({
    detail: z.string(),
    items: z.array(credentialUse).describe('The first 50 uses that the caller may see.'),
  }),
  {
    description: 'The nodes that use credentials which were to be deleted. Nothing was deleted.',
    example: {
      detail: 'Credential 3 is in use. Remove it from the nodes that use it first.',
      items: [{ workflow_slug: 'orders', node_id: 'writer' }],
      total: 1,
    },
  },
);

interface Uses {
  readonly items: readonly { readonly workflowSlug: string; readonly nodeId: string }[];
  readonly total: number;
  readonly hasHidden: boolean;
}

/** A warning: the listed uses are not all uses. */
export const hiddenUses = 'Workflows that you may not see also use this credential';

/** Uses of a credential as the API shows them. */
export function presentCredentialUses({ items, total }: Uses): z.infer<typeof credentialUseList> {
  return {
    items: items.map(({ workflowSlug, nodeId }) => ({ workflow_slug: workflowSlug, node_id: nodeId })),
    total,
  };
}

/** Why credentials were not deleted. */
export function presentCredentialInUse(inUse: {
  readonly used: readonly number[];
  readonly uses: Uses;
}): z.infer<typeof credentialInUse> {
  const { used, uses } = inUse;
  const [named, them] = used.length === 1 ? ['Credential', 'it'] : ['Credentials', 'them'];
  const are = used.length === 1 ? 'is' : 'are';
  const hidden = uses.hasHidden ? ` Workflows that you may not see also use ${them}.` : '';
  const detail = `${named} ${used.join(', ')} ${are} in use. Remove ${them} from the nodes that use ${them} first.${hidden}`;
  return { detail, ...presentCredentialUses(uses) };
}
