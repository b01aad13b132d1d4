import { useProblemCount } from '../../state/problem-counts.ts';
import { useNodeRun } from '../../state/run-overlay-context.ts';
import { stepStatusName } from '../../ui/status.tsx';
import type { CardData } from '../flow.ts';
import { nodeName } from './node-name.ts';

/** The name of a card for screen readers. Only this part is drawn again when the state of its step changes. */
export function NodeNameText({ id, data }: { readonly id: string; readonly data: CardData }) {
  const { node, type, ports, used } = data;
  const run = useNodeRun(node.node_id);
  const { count: problems } = useProblemCount(node.node_id);
  const inputs = ports.filter(({ kind }) => kind === 'target');
  const name = nodeName({
    label: node.label ?? node.node_id,
    type: type?.label ?? node.component_type,
    state: run === undefined ? null : stepStatusName(run.status),
    isActive: node.config.is_active !== false,
    problems,
    inputs: { connected: inputs.filter((port) => used.includes(` ${port.id} `)).length, all: inputs.length },
  });
  return (
    <span id={id} className="sr-only">
      {name}
    </span>
  );
}
