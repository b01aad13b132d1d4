import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { logOut } from '../api/session.ts';
import { useCommands } from '../commands/use-commands.ts';
import { chooseTheme } from '../ui/theme.ts';

/** Chooses the theme, and logs out. */
export function useSessionCommands(): void {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    await logOut();
    cache.clear();
    await navigate({ to: '/login' });
  };
  useCommands({
    'theme.system': { run: () => chooseTheme('system') },
    'theme.light': { run: () => chooseTheme('light') },
    'theme.dark': { run: () => chooseTheme('dark') },
    'session.logOut': { run: () => void leave() },
  });
}
