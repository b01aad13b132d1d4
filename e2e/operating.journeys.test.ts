import { shareStage } from './harness/journey.ts';

shareStage();
// A person looks at workflows and runs, and at all other pages. Each of these files adds its journeys. They run one after
// the other, in this order, with one service and one browser, beside those of `building.journeys.test.ts`.
await import('./journeys/every-page.ts');
await import('./journeys/webhook.ts');
await import('./journeys/runs.ts');
await import('./journeys/partial-runs.ts');
await import('./journeys/live-run.ts');
await import('./journeys/publishing.ts');
await import('./journeys/workflow-list.ts');
await import('./journeys/settings.ts');
await import('./journeys/session.ts');
await import('./journeys/damaged.ts');
await import('./journeys/script-injection.ts');
await import('./journeys/foreign-origin.ts');
await import('./journeys/approvals.ts');
await import('./journeys/agent.ts');
await import('./journeys/recordings.ts');
await import('./journeys/phone.ts');
