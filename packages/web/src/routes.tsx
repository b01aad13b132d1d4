import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { ErrorPage } from './pages/error-page.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { SetupPage } from './pages/setup-page.tsx';
import { compareSearch, editorSearch, runSearch, runsSearch } from './run-search.ts';
import { AppShell } from './shell/app-shell.tsx';
import { usageSearch } from './usage/usage-search.ts';
import { workflowsSearch } from './workflows/list-search.ts';

const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  // Only a path of this site: a link must not send somebody to another site after the login.
  validateSearch: ({ next }: { next?: unknown } & SearchSchemaInput): { next: string } => ({
    next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/workflows',
  }),
  component: LoginPage,
});

const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: SetupPage });

/** The pages for a user who is logged in. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ location }) => {
    const { user, setup_needed } = await queryClient.ensureQueryData(sessionQuery);
    if (user !== null) return;
    throw setup_needed ? redirect({ to: '/setup' }) : redirect({ to: '/login', search: { next: location.href } });
  },
  component: AppShell,
});

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/workflows' });
  },
});

const workflows = createRoute({
  getParentRoute: () => app,
  path: '/workflows',
  validateSearch: workflowsSearch,
  component: lazyRouteComponent(() => import('./pages/workflows-page.tsx'), 'WorkflowsPage'),
});

const newWorkflow = createRoute({
  getParentRoute: () => app,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./pages/new-workflow-page.tsx'), 'NewWorkflowPage'),
});

const runs = createRoute({
  getParentRoute: () => app,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./pages/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => app,
  path: '/runs/$id',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./pages/run-page.tsx'), 'RunPage'),
});

const compareRuns = createRoute({
  getParentRoute: () => app,
  path: '/runs/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./pages/compare-page.tsx'), 'ComparePage'),
});

const editor = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('./pages/editor-page.tsx'), 'EditorPage'),
});

const triggers = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug/triggers',
  component: lazyRouteComponent(() => import('./pages/workflow/triggers-page.tsx'), 'TriggersPage'),
});

const versions = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug/versions',
  validateSearch: ({ version, page }: { version?: unknown; page?: unknown } & SearchSchemaInput) => ({
    version: Math.trunc(Number(version) || 0),
    page: Math.max(1, Math.trunc(Number(page) || 1)),
  }),
  component: lazyRouteComponent(() => import('./pages/workflow/versions-page.tsx'), 'VersionsPage'),
});

const usage = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug/usage',
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('./pages/workflow/usage-page.tsx'), 'UsagePage'),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings/$part',
  component: lazyRouteComponent(() => import('./pages/settings-page.tsx'), 'SettingsPage'),
});

const workflowSettings = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug/settings',
  component: lazyRouteComponent(() => import('./pages/workflow-settings-page.tsx'), 'WorkflowSettingsPage'),
});

const chat = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug/chat',
  validateSearch: ({ session }: { session?: unknown } & SearchSchemaInput): { session?: string } => ({
    ...(typeof session === 'string' && session !== '' && { session }),
  }),
  component: lazyRouteComponent(() => import('./pages/chat-page.tsx'), 'ChatPage'),
});

const credentials = createRoute({
  getParentRoute: () => app,
  path: '/credentials',
  validateSearch: ({ new: type }: { new?: unknown } & SearchSchemaInput): { new?: string } => ({
    ...(typeof type === 'string' && { new: type }),
  }),
  component: lazyRouteComponent(() => import('./pages/credentials-page.tsx'), 'CredentialsPage'),
});

const trash = createRoute({
  getParentRoute: () => app,
  path: '/trash',
  component: lazyRouteComponent(() => import('./pages/trash-page.tsx'), 'TrashPage'),
});

const schedules = createRoute({
  getParentRoute: () => app,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./pages/schedules-page.tsx'), 'SchedulesPage'),
});

const inbox = createRoute({
  getParentRoute: () => app,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./pages/inbox-page.tsx'), 'InboxPage'),
});

const routeTree = root.addChildren([
  login,
  setup,
  app.addChildren([
    home,
    workflows,
    newWorkflow,
    trash,
    runs,
    run,
    compareRuns,
    chat,
    triggers,
    versions,
    usage,
    workflowSettings,
    settings,
    editor,
    credentials,
    inbox,
    schedules,
  ]),
]);

/** The pages and their addresses. */
export const router = createRouter({ routeTree, defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
