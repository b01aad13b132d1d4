import type { ReactNode } from 'react';
import { colourOf, iconOf } from '../canvas/node-look.tsx';
import type { GraphNode } from '../state/graph.ts';

interface TriggerCardProps {
  readonly node: GraphNode;
  readonly icon: string;
  readonly kind: string;
  /** What can be done with the trigger. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** One trigger of a workflow. */
export function TriggerCard({ node, icon, kind, actions, children }: TriggerCardProps) {
  const Icon = iconOf(icon);
  const name = node.label ?? node.node_id;
  return (
    <section aria-label={name} className="flex flex-col gap-4 rounded-card border border-line bg-surface p-4">
      <header className="flex flex-wrap items-center gap-3">
        <Icon size={20} aria-hidden="true" style={{ color: colourOf('Triggers') }} />
        <div className="min-w-40 flex-1">
          <h2 className="truncate font-semibold text-[15px]">{name}</h2>
          <p className="text-[12px] text-muted">{kind}</p>
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}
