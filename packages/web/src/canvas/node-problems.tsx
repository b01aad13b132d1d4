import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useProblemCount } from '../state/problem-counts.ts';
import { classes } from '../ui/classes.ts';

/** The number of problems of a node, at the corner of its card. The name of the card says it to screen readers. */
export function NodeProblemMark({ nodeId }: { readonly nodeId: string }) {
  const { count, isError } = useProblemCount(nodeId);
  if (count === 0) return null;
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <span
      aria-hidden="true"
      title={`${count} problem${count === 1 ? '' : 's'}`}
      className={classes(
        '-top-2.5 -right-2 absolute z-10 flex h-5 items-center gap-0.5 rounded-full border bg-raised px-1.5 font-semibold text-[11px] tabular-nums',
        isError ? 'border-danger text-danger' : 'border-warning text-warning',
      )}
    >
      <Icon size={12} />
      {count}
    </span>
  );
}

/** The same on a block of the overview, in a size that can be seen from far away. */
export function BlockProblemMark({ nodeId }: { readonly nodeId: string }) {
  const { count, isError } = useProblemCount(nodeId);
  if (count === 0) return null;
  return (
    <span
      aria-hidden="true"
      className={classes(
        '-top-6 -right-6 absolute flex size-16 items-center justify-center rounded-full border-4 border-raised font-bold text-[40px] text-raised leading-none',
        isError ? 'bg-danger' : 'bg-warning',
      )}
    >
      !
    </span>
  );
}
