import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { sessionQuery, setupQuery } from './api/session.ts';
import { ErrorPage } from './pages/error-page.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { SetupPage } from './pages/setup-page.tsx';
import { WorkflowsPage } from './pages/workflows-page.tsx';
import { AppShell } from './shell/app-shell.tsx';

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
    if ((await queryClient.ensureQueryData(sessionQuery)) !== null) return;
    const { needed } = await queryClient.fetchQuery(setupQuery);
    throw needed ? redirect({ to: '/setup' }) : redirect({ to: '/login', search: { next: location.href } });
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
  validateSearch: ({ q }: { q?: unknown } & SearchSchemaInput): { q: string } => ({
    q: typeof q === 'string' ? q : '',
  }),
  component: WorkflowsPage,
});

const newWorkflow = createRoute({
  getParentRoute: () => app,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./pages/new-workflow-page.tsx'), 'NewWorkflowPage'),
});

const runs = createRoute({
  getParentRoute: () => app,
  path: '/runs',
  validateSearch: ({ workflow, status, q, page }: RunsInput & SearchSchemaInput) => ({
    workflow: textOf(workflow),
    status: textOf(status),
    q: textOf(q),
    page: Math.max(1, Math.trunc(Number(page) || 1)),
  }),
  component: lazyRouteComponent(() => import('./pages/runs-page.tsx'), 'RunsPage'),
});

interface RunsInput {
  workflow?: unknown;
  status?: unknown;
  q?: unknown;
  page?: unknown;
}

const run = createRoute({
  getParentRoute: () => app,
  path: '/runs/$id',
  validateSearch: ({ step }: { step?: unknown } & SearchSchemaInput): { step: number | null } => ({
    step: typeof step === 'number' ? step : null,
  }),
  component: lazyRouteComponent(() => import('./pages/run-page.tsx'), 'RunPage'),
});

const editor = createRoute({
  getParentRoute: () => app,
  path: '/w/$slug',
  component: lazyRouteComponent(() => import('./pages/editor-page.tsx'), 'EditorPage'),
});

const routeTree = root.addChildren([login, setup, app.addChildren([home, workflows, newWorkflow, runs, run, editor])]);

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The pages and their addresses. */
export const router = createRouter({ routeTree, defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
