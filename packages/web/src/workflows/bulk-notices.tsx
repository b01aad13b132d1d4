import { Link } from '@tanstack/react-router';
import type { Workflow } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { Bulk } from './use-bulk.ts';

interface BulkNoticeProps {
  readonly bulk: Bulk;
  readonly onRetry: () => void;
}

/** The progress of an action on several workflows, and its failures. */
export function BulkNotice({ bulk: { state, dismiss }, onRetry }: BulkNoticeProps) {
  if (state === null) return null;
  const { action, done, isRunning, failures } = state;
  if (isRunning) {
    if (action.workflows.length === 1) return null;
    return (
      <Notice kind="info">
        {action.label}: {done} of {action.workflows.length}
      </Notice>
    );
  }
  return (
    <Notice
      kind="error"
      action={
        <span className="flex gap-2">
          <Button onClick={onRetry}>Retry</Button>
          <Button onClick={dismiss}>Dismiss</Button>
        </span>
      }
    >
      {action.label} failed for {failures.length === 1 ? 'one workflow' : `${failures.length} workflows`}:
      <ul className="mt-1 list-disc pl-5">
        {failures.map(({ workflow, message }) => (
          <li key={workflow.id}>
            {workflow.name}: {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface DeletedNoticeProps {
  readonly deleted: readonly Workflow[];
  readonly isWorking: boolean;
  readonly onUndo: () => void;
}

/** Says what was moved to the trash, with a button that restores it. */
export function DeletedNotice({ deleted, isWorking, onUndo }: DeletedNoticeProps) {
  const [first] = deleted;
  if (first === undefined) return null;
  return (
    <Notice
      kind="info"
      action={
        <Button disabled={isWorking} onClick={onUndo}>
          Undo
        </Button>
      }
    >
      {deleted.length === 1 ? `“${first.name}” was` : `${deleted.length} workflows were`} moved to the{' '}
      <Link to="/trash" className="underline">
        trash
      </Link>
      .
    </Notice>
  );
}
