import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Keyboard, LogOut, Settings } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { sessionQuery } from '../api/session.ts';
import { keysOf, useCommandRegistry } from '../commands/use-commands.ts';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import { chooseTheme, storedTheme, type Theme, themes, watchTheme } from '../ui/theme.ts';
import { userMenuTrigger } from './user-menu-trigger.tsx';

const themeNames: Readonly<Record<Theme, string>> = { system: 'System theme', light: 'Light', dark: 'Dark' };

/** The user who is logged in, the theme, and logging out. */
export function UserMenu() {
  const { data: session } = useQuery(sessionQuery);
  const theme = useSyncExternalStore(watchTheme, storedTheme);
  const commands = useCommandRegistry();
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger {...userMenuTrigger(session?.user?.username)} />
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
            <Menu.Item className={menuItemClasses} onClick={() => void commands.run('session.logOut')}>
              <LogOut size={14} aria-hidden="true" /> Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
