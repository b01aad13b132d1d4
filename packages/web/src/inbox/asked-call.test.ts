import { describe, expect, it } from 'vitest';
import type { ExecutionDetail, ExecutionLog } from '../api/executions.ts';
import { questionsIn } from '../api/questions.ts';
import { askedCall } from './asked-call.ts';

const entry = (fields: Partial<ExecutionLog>): ExecutionLog =>
  ({
    node_id: 'mail',
    frame: 'ai[1]',
    status: 'waiting',
    input: { to: 'ana' },
    metadata: {},
    ...fields,
  }) as ExecutionLog;
const call = { agent: 'ai', tool: 'send_mail', call_id: 'c1', waits_for: 'approval' };

function asked(log: ExecutionLog) {
  const question = { node_id: 'mail', frame: 'ai[1]', prompt: 'Run it?', since: null, until: null };
  const detail = { execution_id: 'e', workflow_slug: 'w', open_questions: [question], logs: [log] };
  const [found] = questionsIn(detail as unknown as ExecutionDetail);
  return found && askedCall(found);
}

describe('a question about the call of a tool', () => {
  it('has the tool, its agent and the arguments', () => {
    expect(asked(entry({ metadata: call }))).toEqual({ tool: 'send_mail', agent: 'ai', arguments: { to: 'ana' } });
  });

  it('is any other question for a step that no agent called, and for a step whose log is not known', () => {
    expect(asked(entry({ metadata: { waits_for: 'approval' } }))).toBeNull();
    expect(asked(entry({ metadata: call, frame: 'ai[2]' }))).toBeNull();
    expect(asked(entry({ metadata: call, status: 'success' }))).toBeNull();
  });
});
