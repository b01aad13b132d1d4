import { Menu } from '@base-ui/react/menu';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, Keyboard, LogOut, Settings, UserRound } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { logOut, sessionQuery } from '../api/session.ts';
import { keysOf, useCommandRegistry, useCommands } from '../commands/use-commands.ts';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import { chooseTheme, storedTheme, type Theme, themes, watchTheme } from '../ui/theme.ts';

const themeNames: Readonly<Record<Theme, string>> = { system: 'System theme', light: 'Light', dark: 'Dark' };

/** The user who is logged in, the theme, and logging out. */
export function UserMenu() {
  const { data: session } = useQuery(sessionQuery);
  const theme = useSyncExternalStore(watchTheme, storedTheme);
  const commands = useCommandRegistry();
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
  return (
    <Menu.Root>
      <Menu.Trigger className="flex items-center gap-2.5 rounded-control px-2 py-1.5 text-muted hover:bg-hover hover:text-ink max-md:flex-col max-md:gap-0.5 max-md:text-[11px]">
        <UserRound size={18} aria-hidden="true" />
        <span className="max-w-36 truncate">{session?.user?.username ?? 'Account'}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start">
          <Menu.Popup className={menuPopupClasses}>
            <Menu.RadioGroup value={theme} onValueChange={(value) => chooseTheme(value as Theme)}>
              {themes.map((name) => (
                <Menu.RadioItem key={name} value={name} className={menuItemClasses}>
                  <span className="inline-flex w-4">
                    <Menu.RadioItemIndicator>
                      <Check size={14} aria-hidden="true" />
                    </Menu.RadioItemIndicator>
                  </span>
                  {themeNames[name]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={menuItemClasses} render={<Link to="/settings/$part" params={{ part: 'profile' }} />}>
              <Settings size={14} aria-hidden="true" /> Settings
            </Menu.Item>
            <Menu.Item className={menuItemClasses} onClick={() => void commands.run('shortcuts.show')}>
              <Keyboard size={14} aria-hidden="true" /> <span className="flex-1">Keyboard shortcuts</span>
              <kbd className="font-sans text-[11px] text-muted">{keysOf('shortcuts.show')}</kbd>
            </Menu.Item>
            <Menu.Item className={menuItemClasses} onClick={() => void leave()}>
              <LogOut size={14} aria-hidden="true" /> Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
