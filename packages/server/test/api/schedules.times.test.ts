import { beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';

let api: Api;
beforeEach(async () => {
  const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  ({ api } = await clockwork.start());
});

const times = '/api/v1/schedules/times/';

describe('POST schedules/times', () => {
  it('returns the next times of a pattern in its time zone, across a change of the clock', async () => {
    const { status, body } = await api.post(times, { cron: '0 9 * * *', timezone: 'Europe/Berlin' });
    expect([status, body]).toEqual([
      200,
      {
        times: ['29', '30', '31']
          .map((day) => `2026-03-${day}T07:00:00.000000`)
          .concat(['2026-04-01T07:00:00.000000', '2026-04-02T07:00:00.000000']),
      },
    ]);
  });

  it('returns the next times of an interval', async () => {
    const { body } = await api.post(times, { interval_seconds: 3600 });
    expect((body as { times: string[] }).times.slice(0, 2)).toEqual([
      '2026-03-28T13:00:00.000000',
      '2026-03-28T14:00:00.000000',
    ]);
  });

  it.each([
    [{}, 'Set either'],
    [{ cron: 'every day' }, 'cron'],
    [{ cron: '0 9 * * *', timezone: 'Europe/Atlantis' }, 'timezone'],
    [{ cron: '0 9 * * *', interval_seconds: 60 }, 'interval_seconds'],
  ])('rejects %j with its field', async (body, named) => {
    const { status, text } = await api.post(times, body);
    expect([status, text]).toEqual([422, expect.stringContaining(named)]);
  });
});
