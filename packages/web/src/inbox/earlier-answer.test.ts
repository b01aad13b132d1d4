import { describe, expect, it } from 'vitest';
import type { ExecutionLog } from '../api/executions.ts';
import { earlierAnswer } from './earlier-answer.ts';

const asked = { node_id: 'ask', frame: '' };
const at = '2026-11-23T09:40:00.000000';

const logOf = (fields: Partial<ExecutionLog>): ExecutionLog =>
  ({ ...asked, status: 'success', output: null, metadata: {}, ended_at: at, timestamp: at, ...fields }) as ExecutionLog;

describe('the answer that closed a question', () => {
  it('has the name of the person, the answer and its time', () => {
    const log = logOf({ output: { confirmed: false, user_response: 'No.' }, metadata: { answered_by: 'ana' } });
    expect(earlierAnswer([log], asked)).toEqual({ confirmed: false, by: 'ana', at });
  });

  it('is yes for a node that ran because somebody agreed', () => {
    const log = logOf({ output: { status: 200 }, metadata: { answered_by: 'ana' } });
    expect(earlierAnswer([log], asked)).toMatchObject({ confirmed: true, by: 'ana' });
  });

  it('names nobody if the default answer was used', () => {
    const log = logOf({ output: { confirmed: true, user_response: '' }, metadata: { timed_out: true } });
    expect(earlierAnswer([log], asked)).toMatchObject({ confirmed: true, by: null });
  });

  it('is unknown if only other steps have answers', () => {
    const others = [
      logOf({ node_id: 'other', metadata: { answered_by: 'ana' } }),
      logOf({ frame: 'each[1]', metadata: { answered_by: 'ana' } }),
      logOf({}),
    ];
    expect(earlierAnswer(others, asked)).toBeNull();
  });
});
