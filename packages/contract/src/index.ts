export * from './execution.ts';
export * from './json.ts';
export * from './key.ts';
export * from './timestamp.ts';
export * from './user.ts';
export * from './webhook.ts';
