import type { RunnerPorts } from '../../src/runner/ports.ts';

const idle = (what: string) => () => Promise.reject(new Error(`nothing here ${what}`));

/** Ports of a runner whose steps reach nothing outside: whoever does without them spreads these. */
export const idlePorts = {
  http: idle('sends'),
  placeholder: () => 'a placeholder',
  toolRequest: idle('sends with a credential'),
  askModel: idle('asks a model'),
  runScript: idle('runs code'),
  subworkflow: idle('starts another workflow'),
  conversation: { before: idle('remembers'), keepSummary: idle('summarises') },
  // The types of these worlds have no configs that could be validated.
  validity: { errorsIn: () => [], callsOthers: () => false, callErrors: async () => [] },
  errorHandler: async () => null,
  tokens: () => null,
  links: { callbackHash: () => 'hash', outputsOf: () => ({}) },
  patterns: { matches: () => false, capture: () => null },
  schemaIssue: () => null,
  maxRunSize: Number.POSITIVE_INFINITY,
  log: { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined },
} as const satisfies Partial<RunnerPorts>;
