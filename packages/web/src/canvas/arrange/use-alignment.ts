import { useCommands } from '../../commands/use-commands.ts';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { CardNode } from '../flow.ts';
import { moveOperations } from '../gestures.ts';
import { type Alignment, type Axis, aligned, distributed } from './align.ts';

interface Options {
  readonly graph: Graph;
  readonly selected: readonly CardNode[];
  readonly perform: Perform;
}

/** The commands that align the selected nodes, and that make the gaps between them equal. Each is one edit. */
export function useAlignment({ graph, selected, perform }: Options): void {
  const apply = (label: string, cards: ReturnType<typeof aligned>): void => {
    const { operations } = moveOperations(cards, graph);
    if (operations.length > 0) perform(`${label} ${selected.length} nodes`, operations);
  };
  const align = (alignment: Alignment) => ({
    run: () => apply('Align', aligned(selected, alignment)),
    isEnabled: selected.length > 1,
  });
  const distribute = (axis: Axis) => ({
    run: () => apply('Distribute', distributed(selected, axis)),
    isEnabled: selected.length > 2,
  });
  useCommands({
    'align.left': align('left'),
    'align.centre': align('centre'),
    'align.right': align('right'),
    'align.top': align('top'),
    'align.middle': align('middle'),
    'align.bottom': align('bottom'),
    'distribute.x': distribute('x'),
    'distribute.y': distribute('y'),
  });
}
