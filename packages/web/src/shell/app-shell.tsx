import { Link, Outlet } from '@tanstack/react-router';
import { Activity, BookOpen, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.tsx';
import { ConnectionPill } from './connection-pill.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page for a user who is logged in: navigation at the side, on narrow screens at the bottom. */
export function AppShell() {
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
        <NavLink to="/workflows" icon={<Workflow size={18} aria-hidden="true" />} text="Workflows" />
        <NavLink to="/runs" icon={<Activity size={18} aria-hidden="true" />} text="Runs" />
        <a href="/docs" className={navClasses}>
          <BookOpen size={18} aria-hidden="true" /> <span>API docs</span>
        </a>
        <div className="flex items-center gap-1 md:mt-auto md:flex-col md:items-stretch md:gap-2">
          <ConnectionPill />
          <UserMenu />
        </div>
      </nav>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col overflow-auto outline-none">
        <Outlet />
      </main>
    </div>
  );
}

const navClasses =
  'flex items-center gap-2.5 rounded-control px-2 py-1.5 text-muted hover:bg-hover hover:text-ink max-md:flex-col max-md:gap-0.5 max-md:text-[11px]';

interface NavLinkProps {
  readonly to: '/workflows' | '/runs';
  readonly icon: ReactNode;
  readonly text: string;
}

function NavLink({ to, icon, text }: NavLinkProps) {
  return (
    <Link to={to} className={navClasses} activeProps={{ className: 'bg-accent-soft !text-accent-strong font-medium' }}>
      {icon} <span>{text}</span>
    </Link>
  );
}
