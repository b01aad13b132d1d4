import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { useNodeRun } from '../state/run-overlay-context.ts';
import { classes } from '../ui/classes.ts';
import { StepStatusGlyph } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';
import type { CardNode } from './flow.ts';
import type { Port } from './geometry.ts';
import { colourOf, iconOf } from './node-look.tsx';
import { summaryOf } from './node-summary.ts';

/** The card of a node: its name, its type with a summary, its ports. */
export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  const { node, type, ports } = data;
  const Icon = iconOf(type?.icon ?? '');
  const colour = colourOf(type?.category ?? '');
  const isActive = node.config.is_active !== false;
  return (
    <div
      className={classes(
        'relative h-full w-full overflow-visible rounded-card border bg-raised shadow-sm',
        selected ? 'border-accent ring-2 ring-accent' : 'border-line',
        !isActive && 'border-dashed opacity-60',
      )}
    >
      <div className="absolute inset-y-0 left-0 w-1 rounded-l-card" style={{ background: colour }} />
      <div className="flex h-16 items-center gap-2.5 pr-3 pl-3.5">
        <span
          className="flex size-8 shrink-0 items-center justify-center rounded-control bg-hover"
          style={{ color: colour }}
        >
          <Icon size={18} aria-hidden="true" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium text-[13px] leading-[18px]">{node.label ?? node.node_id}</span>
          <span className="block truncate text-[11px] text-muted leading-[14px]">{summaryOf(node, type)}</span>
        </span>
        <NodeRunMark nodeId={node.node_id} />
      </div>
      {ports.map((port) => (
        <PortHandle key={port.id} port={port} />
      ))}
    </div>
  );
});

/** The state of the node in the watched execution. Only this part is drawn again when it changes. */
function NodeRunMark({ nodeId }: { readonly nodeId: string }) {
  const run = useNodeRun(nodeId);
  if (run === undefined) return null;
  return (
    <span className="flex shrink-0 flex-col items-end text-[11px] text-muted leading-[14px] tabular-nums">
      <StepStatusGlyph status={run.status} />
      {run.succeeded > 1 ? `${run.succeeded} ×` : run.durationMs !== null && durationText(run.durationMs)}
    </span>
  );
}

const positions = {
  left: Position.Left,
  right: Position.Right,
  top: Position.Top,
  bottom: Position.Bottom,
} as const;

function PortHandle({ port: { id, kind, side, x, y, label, dataType } }: { readonly port: Port }) {
  const place = side === 'left' || side === 'right' ? { top: y } : { left: x };
  return (
    <>
      <Handle id={id} type={kind} position={positions[side]} style={place} className={`port port-${dataType}`} />
      {label !== '' && side === 'right' && (
        <span className="absolute right-3 -translate-y-1/2 text-[11px] text-muted" style={{ top: y }}>
          {label}
        </span>
      )}
      {label !== '' && side === 'bottom' && (
        <span className="absolute bottom-1.5 -translate-x-1/2 text-[11px] text-muted" style={{ left: x }}>
          {label.replace('_', ' ')}
        </span>
      )}
    </>
  );
}
