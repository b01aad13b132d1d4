import { Link, useNavigate } from '@tanstack/react-router';
import { History, Settings, Zap } from 'lucide-react';
import { useCommands } from '../commands/use-commands.ts';

const look = 'flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink';
const triggers = 'Triggers: webhooks and schedules';

/** Links to the other pages of the workflow. */
export function WorkflowLinks({ slug }: { readonly slug: string }) {
  const navigate = useNavigate();
  const params = { slug };
  useCommands({
    'workflow.triggers': { run: () => void navigate({ to: '/w/$slug/triggers', params }) },
    'workflow.versions': { run: () => void navigate({ to: '/w/$slug/versions', params }) },
    'workflow.usage': { run: () => void navigate({ to: '/w/$slug/usage', params }) },
  });
  return (
    <>
      <Link to="/w/$slug/triggers" params={params} aria-label={triggers} title={triggers} className={look}>
        <Zap size={16} aria-hidden="true" />
      </Link>
      <Link to="/w/$slug/versions" params={params} aria-label="Versions" title="Versions" className={look}>
        <History size={16} aria-hidden="true" />
      </Link>
      <Link
        to="/w/$slug/settings"
        params={params}
        aria-label="Settings of the workflow"
        title="Settings of the workflow"
        className={look}
      >
        <Settings size={16} aria-hidden="true" />
      </Link>
    </>
  );
}
