import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useNodeRun } from '../../state/run-overlay-context.ts';
import { classes } from '../../ui/classes.ts';
import { stepStatusName } from '../../ui/status.tsx';
import type { CardNode } from '../flow.ts';
import { useFocusableCard } from '../keyboard/card-focus.ts';
import { colourOf } from '../node-look.tsx';
import { BlockProblemMark } from '../node-problems.tsx';

const borders: Readonly<Record<string, string>> = {
  running: 'border-accent border-[12px]',
  waiting: 'border-waiting border-[12px] border-dotted',
  success: 'border-success border-[12px]',
  failed: 'border-danger border-[20px] border-double',
  skipped: 'border-line-strong border-4 border-dashed opacity-45',
};

/** A node in the overview: its category, and its state in the watched execution. */
export const NodeBlock = memo(function NodeBlock({ data, selected }: NodeProps<CardNode>) {
  const { node, type } = data;
  const run = useNodeRun(node.node_id);
  const name = node.label ?? node.node_id;
  const text = run === undefined ? name : `${name}: ${stepStatusName(run.status)}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for input elements.
    <div
      {...useFocusableCard(node.node_id)}
      role="group"
      aria-label={text}
      title={text}
      className={classes(
        'relative h-full w-full rounded-card forced-colors:border-4 forced-colors:border-[CanvasText] focus-visible:outline-8 focus-visible:outline-accent focus-visible:outline-offset-8',
        run !== undefined && borders[run.status],
        selected && 'outline-8 outline-accent outline-offset-8',
        node.config.is_active === false && 'opacity-60',
      )}
      style={{ background: colourOf(type?.category ?? '') }}
    >
      <BlockProblemMark nodeId={node.node_id} />
    </div>
  );
});
