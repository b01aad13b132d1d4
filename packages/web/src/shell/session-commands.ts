import { logOut } from '../api/session.ts';
import { useCommands } from '../commands/use-commands.ts';
import { saveOpenDrafts } from '../state/open-drafts.ts';
import { chooseTheme } from '../ui/theme.ts';

/** Chooses the theme, and logs out. */
export function useSessionCommands(): void {
  const leave = async (): Promise<void> => {
    await saveOpenDrafts();
    await logOut();
  };
  useCommands({
    'theme.system': { run: () => chooseTheme('system') },
    'theme.light': { run: () => chooseTheme('light') },
    'theme.dark': { run: () => chooseTheme('dark') },
    'session.logOut': { run: () => void leave() },
  });
}
