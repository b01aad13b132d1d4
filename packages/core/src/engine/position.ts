import { type RunState, type StepState, stepAround } from './run-state.ts';

/** The most nodes named in a sentence: a loop may have hundreds of iterations in progress. */
const mostNamed = 3;

/**
 * The position of a run: as a sentence, and the node if there is only one. Steps in a loop count as the loop's node.
 */
export function position(state: RunState): { readonly sentence: string; readonly nodeId: string | null } {
  const open = [...state.open].filter(({ phase }) => phase !== 'skipping');
  const steps = open.length > 0 ? open : [...state.paused];
  const nodes = new Set(steps.map(outermostNode));
  const [nodeId = null] = nodes;
  return { sentence: sentenceAbout(steps), nodeId: nodes.size === 1 ? nodeId : null };
}

function outermostNode({ node, frame }: StepState): string {
  const around = stepAround(frame);
  return around === null ? node.nodeId : outermostNode(around);
}

function sentenceAbout(steps: readonly StepState[]): string {
  if (steps.length === 0) return 'It was at no node.';
  const names = steps
    .slice(0, mostNamed)
    .map(({ node, frame }) => `'${node.nodeId}'${frame.key === '' ? '' : ` in ${frame.key}`}`);
  const more = steps.length - names.length;
  return `It was at ${steps.length === 1 ? 'node' : 'nodes'} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
