export { ApiError } from './api-error.ts';
export { answerOf, createClient, type Schemas } from './client.ts';
export { LiveConnection, type LiveMessage } from './live.ts';
