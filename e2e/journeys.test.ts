import { shareStage } from './harness/journey.ts';

shareStage();
// Each of these files adds its journeys. They run one after the other, in this order, with one service and one browser.
await import('./journeys/first-run.ts');
await import('./journeys/every-page.ts');
await import('./journeys/build.ts');
await import('./journeys/connect.ts');
await import('./journeys/expressions.ts');
await import('./journeys/credentials.ts');
await import('./journeys/webhook.ts');
await import('./journeys/timed-paths.ts');
await import('./journeys/edits.ts');
await import('./journeys/text.ts');
await import('./journeys/two-editors.ts');
await import('./journeys/runs.ts');
await import('./journeys/partial-runs.ts');
await import('./journeys/live-run.ts');
await import('./journeys/publishing.ts');
await import('./journeys/workflow-list.ts');
await import('./journeys/keyboard.ts');
await import('./journeys/settings.ts');
await import('./journeys/session.ts');
await import('./journeys/script-injection.ts');
await import('./journeys/foreign-origin.ts');
await import('./journeys/approvals.ts');
await import('./journeys/phone.ts');
