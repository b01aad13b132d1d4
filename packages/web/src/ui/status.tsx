import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  SkipForward,
  UserRound,
} from 'lucide-react';
import { classes } from './classes.ts';

/** The statuses of an execution in the API. */
type ExecutionStatus = 'pending' | 'running' | 'waiting' | 'interrupted' | 'completed' | 'failed' | 'cancelled';

interface Look {
  readonly Icon: LucideIcon;
  readonly text: string;
  readonly colour: string;
}

/** How each status of an execution looks: a shape, a text and a colour, because a colour alone excludes people. */
const executionLooks: Readonly<Record<ExecutionStatus, Look>> = {
  pending: { Icon: CircleDashed, text: 'Queued', colour: 'text-muted' },
  running: { Icon: LoaderCircle, text: 'Running', colour: 'text-accent' },
  waiting: { Icon: Hourglass, text: 'Waiting', colour: 'text-waiting' },
  interrupted: { Icon: UserRound, text: 'Waiting for a person', colour: 'text-waiting' },
  completed: { Icon: CircleCheck, text: 'Succeeded', colour: 'text-success' },
  failed: { Icon: CircleX, text: 'Failed', colour: 'text-danger' },
  cancelled: { Icon: Ban, text: 'Cancelled', colour: 'text-muted' },
};

/** The statuses of a step; `running` and `retrying` are only in events. */
type StepStatus = 'running' | 'retrying' | 'waiting' | 'success' | 'failed' | 'skipped';

const stepLooks: Readonly<Record<StepStatus, Look>> = {
  running: executionLooks.running,
  retrying: { Icon: LoaderCircle, text: 'Retrying', colour: 'text-warning' },
  waiting: executionLooks.waiting,
  success: executionLooks.completed,
  failed: executionLooks.failed,
  skipped: { Icon: SkipForward, text: 'Skipped', colour: 'text-muted' },
};

/** The status of an execution with its name. */
export function ExecutionStatusText({ status }: { readonly status: ExecutionStatus }) {
  return <StatusText look={executionLooks[status]} isMoving={status === 'running'} />;
}

/** The status of a step with its name. */
export function StepStatusText({ status }: { readonly status: StepStatus }) {
  return <StatusText look={stepLooks[status]} isMoving={status === 'running'} />;
}

/** The names of the statuses of executions, for filters. */
export const executionStatusNames = Object.entries(executionLooks).map(
  ([status, { text }]) => [status as ExecutionStatus, text] as const,
);

function StatusText({ look: { Icon, text, colour }, isMoving }: { readonly look: Look; readonly isMoving: boolean }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-[13px]">
      <Icon size={15} className={classes(colour, isMoving && 'animate-spin')} aria-hidden="true" />
      {text}
    </span>
  );
}

/** Only the shape and the colour of a step's status; the name is read to screen readers. */
export function StepStatusGlyph({ status }: { readonly status: StepStatus }) {
  const { Icon, text, colour } = stepLooks[status];
  return (
    <span title={text} className="inline-flex">
      <Icon size={15} className={classes(colour, status === 'running' && 'animate-spin')} aria-hidden="true" />
      <span className="sr-only">{text}</span>
    </span>
  );
}

/** The name of a step's status. */
export function stepStatusName(status: StepStatus): string {
  return stepLooks[status].text;
}
