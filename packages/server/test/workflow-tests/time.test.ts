import { describe, expect, it } from 'vitest';
import { report } from './tested-files.ts';

describe('time in a test', () => {
  it('starts when the test sets it, and passes without waiting: a month takes a moment', async () => {
    const flow = `
name: Slow
trigger: manual
steps:
  - {id: first, type: datetime, operation: now}
  - {id: month, type: wait, duration: 30, unit: days}
  - {id: moment, type: wait, duration: 2, unit: seconds}
  - {id: last, type: datetime, operation: now}
`;
    const tests = `
tests:
  - name: given
    start_time: 2026-02-27T12:00:00+01:00
    expect: {outputs: {first: {result: "2026-02-27T11:00:00.000Z"}, last: {result: "2026-03-29T11:00:02.000Z"}}}
  - name: usual
    expect: {outputs: {first: {result: "2026-01-01T00:00:00.000Z"}}}
`;
    expect(await report(flow, tests)).toEqual(['  ok    given', '  ok    usual']);
  });

  it('advances to the next time of a schedule, at which the run starts', async () => {
    const flow = `
name: Nightly
nodes:
  - {id: hourly, type: trigger_schedule, interval_seconds: 3600}
  - {id: nightly, type: trigger_schedule, cron: "30 3 * * *", trigger_payload: {kind: night}}
  - {id: at, type: template, template: "{{ trigger.text }} {{ trigger.payload.kind }}"}
edges: [nightly -> at, hourly -> at]
`;
    const tests = `
tests:
  - name: at night
    trigger: nightly
    start_time: 2026-03-01T04:00:00Z
    expect: {path: [nightly, at], final_output: "2026-03-02T03:30:00.000000 night"}
  - name: with a payload
    trigger: nightly
    payload: {kind: day}
    expect: {}
`;
    expect(await report(flow, tests)).toEqual([
      '  ok    at night',
      '  FAIL  with a payload (line 8)',
      "          'nightly' is a trigger_schedule: it accepts nothing, not payload.",
    ]);
  });

  it('ends a step at its time limit, without waiting for it', async () => {
    const flow = `
name: Late
trigger: {type: webhook, response_mode: last_node, timeout: 10}
steps:
  - {id: hour, type: wait, duration: 1, unit: hours}
`;
    const tests = 'tests: [{name: t, expect: {response: {status: 202}, path: [start, hour]}}]';
    expect(await report(flow, tests)).toEqual(['  ok    t']);
  });
});
