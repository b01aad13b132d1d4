import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Activity, BookOpen, CalendarClock, Inbox, KeyRound, Search, Workflow } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { sessionEnd } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { CommandWindows } from '../commands/command-windows.tsx';
import { hintsOf, keysOf, useCommandRegistry } from '../commands/use-commands.ts';
import { LiveRegion } from '../ui/assistive/live-region.tsx';
import { Logo } from '../ui/logo.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { ConnectionPill } from './connection-pill.tsx';
import { HealthNotice } from './health-notice.tsx';
import { InboxCount } from './inbox-count.tsx';
import { usePageCommands } from './page-commands.ts';
import { useSessionCommands } from './session-commands.ts';
import { userMenuTrigger } from './user-menu-trigger.tsx';

const loadMenu = () => import('./user-menu.tsx');
const UserMenu = lazy(() => loadMenu().then(({ UserMenu: component }) => ({ default: component })));

/** Loaded when the session has ended. */
const SessionDialog = lazy(() =>
  import('./session-dialog.tsx').then(({ SessionDialog: component }) => ({ default: component })),
);

const watchSession = (changed: () => void) => sessionEnd.watch(changed);
const hasSessionEnded = () => sessionEnd.hasEnded;

/** The frame of every page for a user who is logged in: navigation at the side, on narrow screens at the bottom. */
export function AppShell() {
  const hasEnded = useSyncExternalStore(watchSession, hasSessionEnded);
  const { data: session } = useQuery(sessionQuery);
  usePageCommands();
  useSessionCommands();
  return (
    <div className="flex h-dvh flex-col-reverse md:flex-row">
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <nav
        aria-label="Main"
        className="flex shrink-0 items-center gap-1 border-line bg-surface px-2 max-md:justify-around max-md:border-t max-md:py-1 md:w-52 md:flex-col md:items-stretch md:border-r md:py-3"
      >
        <Link to="/workflows" className="flex items-center gap-2 px-2 pb-3 font-semibold text-[15px] max-md:hidden">
          <Logo size={22} /> Millrace
        </Link>
        <SearchButton />
        <NavLink to="/workflows" icon={<Workflow size={18} aria-hidden="true" />} text="Workflows" />
        <NavLink to="/runs" icon={<Activity size={18} aria-hidden="true" />} text="Runs" />
        <NavLink to="/inbox" icon={<Inbox size={18} aria-hidden="true" />} text="Inbox">
          <InboxCount />
        </NavLink>
        <NavLink to="/schedules" icon={<CalendarClock size={18} aria-hidden="true" />} text="Schedules" />
        <NavLink to="/credentials" icon={<KeyRound size={18} aria-hidden="true" />} text="Credentials" />
        <a href="/docs" className={`${navClasses} max-md:hidden`}>
          <BookOpen size={18} aria-hidden="true" /> <span>API docs</span>
        </a>
        <div className="flex items-center gap-1 md:mt-auto md:flex-col md:items-stretch md:gap-2">
          <ConnectionPill />
          <MenuButton {...userMenuTrigger(session?.user?.username)} load={loadMenu} menu={() => <UserMenu />} />
        </div>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <HealthNotice />
        <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col overflow-auto outline-none">
          <Outlet />
        </main>
      </div>
      {hasEnded && (
        <Suspense>
          <SessionDialog />
        </Suspense>
      )}
      <CommandWindows />
      <LiveRegion />
    </div>
  );
}

/** Opens the palette with a pointer, and shows its keys. */
function SearchButton() {
  const commands = useCommandRegistry();
  return (
    <button
      type="button"
      {...hintsOf('palette.open')}
      className="mb-2 flex h-8 items-center gap-2.5 rounded-control border border-line bg-sunken px-2 text-[13px] text-muted hover:text-ink max-md:hidden"
      onClick={() => void commands.run('palette.open')}
    >
      <Search size={16} aria-hidden="true" /> <span className="flex-1 text-left">Search</span>
      <span className="text-[11px]" aria-hidden="true">
        {keysOf('palette.open')}
      </span>
    </button>
  );
}

const navClasses =
  'relative flex items-center gap-2.5 rounded-control px-2 py-1.5 text-muted hover:bg-hover hover:text-ink max-md:flex-col max-md:gap-0.5 max-md:text-[11px]';

interface NavLinkProps {
  readonly to: '/workflows' | '/runs' | '/inbox' | '/schedules' | '/credentials';
  readonly icon: ReactNode;
  readonly text: string;
  /** A number beside the text. */
  readonly children?: ReactNode;
}

function NavLink({ to, icon, text, children }: NavLinkProps) {
  return (
    <Link to={to} className={navClasses} activeProps={{ className: 'bg-accent-soft !text-accent-strong font-medium' }}>
      {/* Below, six texts do not fit beside each other. */}
      {icon} <span className="max-[380px]:sr-only">{text}</span>
      {children}
    </Link>
  );
}
