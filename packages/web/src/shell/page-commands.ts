import { useNavigate } from '@tanstack/react-router';
import { useCommands } from '../commands/use-commands.ts';

/** Goes to the pages of the app. */
export function usePageCommands(): void {
  const navigate = useNavigate();
  useCommands({
    'go.workflows': { run: () => void navigate({ to: '/workflows' }) },
    'go.newWorkflow': { run: () => void navigate({ to: '/workflows/new' }) },
    'go.runs': { run: () => void navigate({ to: '/runs' }) },
    'go.inbox': { run: () => void navigate({ to: '/inbox' }) },
    'go.schedules': { run: () => void navigate({ to: '/schedules' }) },
    'go.credentials': { run: () => void navigate({ to: '/credentials' }) },
    'go.trash': { run: () => void navigate({ to: '/trash' }) },
    'go.apiDocs': { run: () => window.location.assign('/docs') },
  });
}
