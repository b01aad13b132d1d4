import { Link } from '@tanstack/react-router';
import type { CredentialUses } from '../api/credentials.ts';

/** The workflows that use a credential, each with its nodes. */
export function UseList({ found: { uses, total, hasHidden } }: { readonly found: CredentialUses }) {
  const slugs = [...new Set(uses.map((use) => use.workflow_slug))];
  return (
    <div className="text-[13px]">
      <ul className="flex flex-col gap-1">
        {slugs.map((slug) => (
          <li key={slug}>
            <Link to="/w/$slug" params={{ slug }} className="font-medium text-accent hover:underline">
              {slug}
            </Link>{' '}
            <span className="text-muted">
              {uses
                .filter((use) => use.workflow_slug === slug)
                .map((use) => use.node_id)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {total > uses.length && <p className="mt-1 text-muted">and {total - uses.length} more nodes</p>}
      {hasHidden && <p className="mt-1 text-muted">Workflows that you may not see also use it.</p>}
    </div>
  );
}
