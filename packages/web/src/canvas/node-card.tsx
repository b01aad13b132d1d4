import { Handle, type NodeProps } from '@xyflow/react';
import { Plus } from 'lucide-react';
import { memo, useContext, useId } from 'react';
import { takesSeveral } from '../state/slots.ts';
import { classes } from '../ui/classes.ts';
import { AddingContext } from './add/adding.ts';
import { useIsRejected, usePortFit } from './connect/connecting.ts';
import { type CardNode, heldIn, positions } from './flow.ts';
import { errorPort, type Port } from './geometry.ts';
import { useFocusableCard } from './keyboard/card-focus.ts';
import { NodeNameText } from './keyboard/node-name-text.tsx';
import { colourOf, iconOf } from './node-look.tsx';
import { NodeProblemMark } from './node-problems.tsx';
import { NodeRunMark } from './node-run.tsx';
import { summaryOf } from './node-summary.ts';

/** The card of a node: its name, its type with a summary, its ports. */
export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  const { node, type, ports, used } = data;
  const Icon = iconOf(type?.icon ?? '');
  const colour = colourOf(type?.category ?? '');
  const isActive = node.config.is_active !== false;
  const isRejected = useIsRejected(node.node_id, ports);
  const nameId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form.
    <div
      {...useFocusableCard(node.node_id)}
      role="group"
      aria-roledescription="node"
      aria-labelledby={nameId}
      className={classes(
        'group relative h-full w-full overflow-visible rounded-card border bg-raised shadow-sm',
        selected ? 'border-accent ring-2 ring-accent forced-colors:border-[Highlight]' : 'border-line',
        !isActive && 'border-dashed opacity-60',
        isRejected && 'opacity-40',
      )}
    >
      <NodeNameText id={nameId} data={data} />
      <NodeProblemMark nodeId={node.node_id} />
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
          <span className="block truncate text-[11px] text-muted leading-[14px]">
            {summaryOf(node, type, data.model)}
          </span>
        </span>
        <NodeRunMark nodeId={node.node_id} isPinned={isPinned(node)} />
      </div>
      {ports.map((port) => (
        <PortHandle
          key={port.id}
          nodeId={node.node_id}
          port={port}
          isUsed={used.includes(` ${port.id} `)}
          held={port.side === 'bottom' ? heldIn(data, port.id) : none}
        />
      ))}
    </div>
  );
});

function isPinned({ config }: CardNode['data']['node']): boolean {
  return Object.hasOwn(config.extra_config ?? {}, 'pinned_output');
}

interface PortHandleProps {
  readonly nodeId: string;
  readonly port: Port;
  readonly isUsed: boolean;
  /** The names of the nodes in a slot. */
  readonly held: readonly string[];
}

const none: readonly string[] = [];

function PortHandle({ nodeId, port, isUsed, held }: PortHandleProps) {
  const { id, kind, side, x, y, label, dataType } = port;
  const fit = usePortFit(nodeId, id, kind);
  const place = side === 'left' || side === 'right' ? { top: y } : { left: x };
  const rejection = typeof fit === 'object' ? fit.rejection : undefined;
  const name = nameOf(port);
  return (
    <>
      <Handle
        id={id}
        type={kind}
        position={positions[side]}
        style={place}
        role="button"
        aria-label={`${name} of ${nodeId}${held.length > 0 ? `: ${held.join(', ')}` : ''}`}
        aria-disabled={rejection !== undefined}
        title={rejection ?? `${name}: ${held.length > 0 ? held.join(', ') : dataType}`}
        className={classes(
          `port port-${dataType}`,
          fit === 'fits' && 'port-fits',
          rejection !== undefined && 'port-rejected',
          isUsed && 'port-used',
        )}
      />
      {label !== '' && side !== 'bottom' && (
        <span
          className={classes(
            'pointer-events-none absolute -translate-y-1/2 text-[11px] text-muted',
            side === 'right' ? 'right-3' : 'left-3',
          )}
          style={{ top: y }}
        >
          {label}
        </span>
      )}
      {label !== '' && side === 'bottom' && (
        <span
          className="pointer-events-none absolute bottom-1.5 -translate-x-1/2 text-[11px] text-muted"
          style={{ left: x }}
        >
          {label.replace('_', ' ')}
          {held.length > 0 && takesSeveral(label) && <span className="ml-1 tabular-nums">{held.length}</span>}
        </span>
      )}
      {(!isUsed || (side === 'bottom' && takesSeveral(id))) &&
        kind === (side === 'bottom' ? 'target' : 'source') &&
        id !== errorPort &&
        side !== 'top' && <AddButton nodeId={nodeId} port={port} isUsed={isUsed} />}
    </>
  );
}

/** The name of a port for people. */
function nameOf({ id, kind, label }: Port): string {
  if (id === errorPort) return 'Error output';
  const name = label.replace('_', ' ');
  if (kind === 'source') return name === '' ? 'Output' : `Output ${name}`;
  return name === '' ? 'Input' : `Input ${name}`;
}

/** Adds a node that is connected to this port. That of an empty slot is always visible, as what the node lacks. */
function AddButton({ nodeId, port: { id, kind, side, x, y, label }, isUsed }: Omit<PortHandleProps, 'held'>) {
  const add = useContext(AddingContext);
  const isSlot = side === 'bottom';
  const what = isSlot
    ? `Add ${label.replace('_', ' ')} to ${nodeId}`
    : `Add a node after ${nodeId}${label && `: ${label}`}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={what}
      title={what}
      className={classes(
        'nodrag nopan absolute flex size-6 items-center justify-center rounded-control border border-line bg-raised text-muted hover:border-accent hover:text-accent',
        isSlot ? '-translate-x-1/2' : '-translate-y-1/2',
        (!isSlot || isUsed) && 'opacity-0 focus-visible:opacity-100 group-hover:opacity-100',
      )}
      style={isSlot ? { left: x, top: y + 12 } : { left: x + 14, top: y }}
      onClick={(event) => {
        event.stopPropagation();
        add({ from: { nodeId, port: id, kind } });
      }}
    >
      <Plus size={14} aria-hidden="true" />
    </button>
  );
}
