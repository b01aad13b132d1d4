import { shareStage } from './harness/journey.ts';

shareStage();
// A person starts and builds workflows. Each of these files adds its journeys. They run one after the other, in this
// order, with one service and one browser.
await import('./journeys/first-run.ts');
await import('./journeys/build.ts');
await import('./journeys/connect.ts');
await import('./journeys/expressions.ts');
await import('./journeys/credentials.ts');
await import('./journeys/timed-paths.ts');
await import('./journeys/edits.ts');
await import('./journeys/crashes.ts');
await import('./journeys/text.ts');
await import('./journeys/two-editors.ts');
await import('./journeys/keyboard.ts');
await import('./journeys/groups.ts');
await import('./journeys/menu.ts');
await import('./journeys/typing.ts');
await import('./journeys/json-fields.ts');
