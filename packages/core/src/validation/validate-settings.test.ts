import { expect, test } from 'vitest';
import { catalogue, node } from '../../test/graphs.ts';
import type { Component } from '../component/component.ts';
import type { JsonObject } from '../json.ts';
import { noWorld } from './graph-world.ts';
import { SettingsCheck } from './validate-settings.ts';

function step(extra: Partial<Component<never>> = {}): Component<never> {
  const base = catalogue.get('step');
  if (base === undefined) throw new Error('the test catalogue has no step');
  return { ...base, ...extra };
}

test('each timing of a graph is checked once, up to a limit', () => {
  const asked: JsonObject[] = [];
  const scheduleIssue = (timing: JsonObject) => {
    asked.push(timing);
    return 'never fires';
  };
  const check = new SettingsCheck({ ...noWorld, scheduleIssue });
  const codes = Array.from({ length: 60 }, (_, index) => {
    const schedule = node(`s${index}`, 'trigger_schedule', { cron: `${index % 20} 0 30 2 *` });
    return check.check(schedule, step()).map(({ code }) => code);
  });
  expect(asked.length).toBeLessThan(10);
  expect(new Set(asked.map(({ cron }) => cron)).size).toBe(asked.length);
  // Three nodes have the same times.
  expect(codes.flat()).toHaveLength(asked.length * 3);
});

test('the component reports errors of a config as a whole', () => {
  const lacks = ({ url }: JsonObject) => (url === undefined ? 'needs a url' : null);
  const found = (extra: JsonObject) =>
    new SettingsCheck(noWorld).check(node('n', 'step', extra), step({ lacks })).map(({ message }) => message);
  expect(found({})).toEqual(["Node 'n' needs a url"]);
  expect(found({ url: 'x' })).toEqual([]);
});
