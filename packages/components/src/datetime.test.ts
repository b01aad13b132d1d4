import type { Json, JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { datetime } from './datetime.ts';
import { perform } from './step.testkit.ts';

async function result(config: JsonObject, input: Json = null): Promise<Json | undefined> {
  const names = { trigger: { payload: { at: '2026-03-28T12:00:00+01:00', days: 3, nothing: null } } };
  return (await perform(datetime, { config, input, names })).outputs.result;
}

describe('datetime now', () => {
  it('is the time of the step, in UTC unless a time zone is set', async () => {
    expect(await result({})).toBe('2026-03-28T22:30:00.000Z');
    expect(await result({ timezone: 'Asia/Tokyo' })).toBe('2026-03-29T07:30:00.000+09:00');
    expect(await result({ timezone: 'UTC-3', format: 'HH:mm' })).toBe('19:30');
  });
});

describe('datetime parse', () => {
  it('reads a time in the given format and time zone', async () => {
    const config = { operation: 'parse', value: '24.12.2026 18:00', format: 'dd.MM.yyyy HH:mm' };
    expect(await result(config)).toBe('2026-12-24T18:00:00.000Z');
    expect(await result({ ...config, timezone: 'Europe/Berlin' })).toBe('2026-12-24T18:00:00.000+01:00');
  });

  it('reads ISO 8601, also with a space, and milliseconds; from the input if no value is set', async () => {
    expect(await result({ operation: 'parse' }, '2026-01-02 03:04:05')).toBe('2026-01-02T03:04:05.000Z');
    expect(await result({ operation: 'parse' }, 0)).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('a time without a date', () => {
  // The step runs on 2026-03-28 at 22:30 UTC, and the process much later.
  it.each<[string, JsonObject, string]>([
    ['HH:mm', { value: '10:30', format: 'HH:mm' }, '2026-03-28T10:30:00.000Z'],
    ['HH:mm in Tokyo', { value: '10:30', format: 'HH:mm', timezone: 'Asia/Tokyo' }, '2026-03-29T10:30:00.000+09:00'],
    ['d LLLL', { value: '24 December', format: 'd LLLL' }, '2026-12-24T00:00:00.000Z'],
    ['ccc', { value: 'Mon', format: 'ccc' }, '2026-03-23T00:00:00.000Z'],
    ['ISO 8601', { value: '10:30' }, '2026-03-28T10:30:00.000Z'],
    ['HH:mm ZZ', { value: '10:30 +09:00', format: 'HH:mm ZZ' }, '2026-03-29T01:30:00.000Z'],
  ])('has the one of the step: %s', async (_format, config, time) => {
    vi.useFakeTimers({ now: new Date('2031-05-06T07:08:09Z'), toFake: ['Date'] });
    try {
      expect(await result({ operation: 'parse', ...config })).toBe(time);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a local time that occurs twice or never', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['2026-01-15', '2026-07-15'])('is the same whenever the step runs: %s', async (day) => {
    vi.useFakeTimers({ now: new Date(day), toFake: ['Date'] });
    const config = { operation: 'parse', timezone: 'Europe/Berlin' };
    const read = (value: string, more: JsonObject = {}) => result({ ...config, value, ...more });
    const [first, second] = ['2026-10-25T02:30:00.000+02:00', '2026-10-25T02:30:00.000+01:00'];
    expect(await read('2026-10-25 02:30')).toBe(first);
    expect(await read('25.10.2026 02:30', { format: 'dd.MM.yyyy HH:mm' })).toBe(first);
    expect(await read('2026-10-25T02:30+01:00')).toBe(second);
    expect(await read('2026-10-25T01:30Z')).toBe(second);
    expect(await read('25.10.2026 02:30 +01:00', { format: 'dd.MM.yyyy HH:mm ZZ' })).toBe(second);
    const other = { format: 'dd.MM.yyyy HH:mm z', timezone: 'UTC' };
    expect(await read('25.10.2026 02:30 Europe/Berlin', other)).toBe('2026-10-25T00:30:00.000+00:00');
    expect(await read('2026-11-01T01:30', { timezone: 'America/New_York' })).toBe('2026-11-01T01:30:00.000-04:00');
    expect(await read('2026-03-29T02:30')).toBe('2026-03-29T03:30:00.000+02:00');
  });
});

describe('datetime format', () => {
  it('writes a time with English names, wherever the service runs', async () => {
    const config = { operation: 'format', value: '{{ trigger.payload.at }}', format: "cccc, d LLLL yyyy 'at' HH:mm" };
    expect(await result(config)).toBe('Saturday, 28 March 2026 at 11:00');
  });

  it('writes for every time a text that parse reads back', async () => {
    const moments = fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => seconds * 1000);
    await fc.assert(
      fc.asyncProperty(moments, fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata'), async (at, timezone) => {
        const format = 'yyyy/LL/dd HH:mm:ss ZZ';
        const written = await result({ operation: 'format', value: at, format, timezone });
        const read = await result({ operation: 'parse', value: written as string, format });
        expect(read).toBe(new Date(at).toISOString());
      }),
    );
  });
});

describe('the format of a time', () => {
  it('is checked when it is saved, and when it is computed', async () => {
    const message = "is not the format of a time: 'YYYY' is not a token: write yyyy";
    const issue = { path: ['format'], severity: 'error', message };
    expect(datetime.issues?.({ format: 'YYYY-MM-DD' })).toEqual([issue]);
    expect(datetime.issues?.({ format: '{{ trigger.payload.format }}' })).toEqual([]);
    expect(datetime.issues?.({})).toEqual([]);
    await expect(result({ format: "{{ 'YYYY' }}-MM-dd" })).rejects.toMatchObject({ message: `'format' ${message}.` });
  });
});

describe('datetime add', () => {
  it('adds calendar days when the clocks change', async () => {
    const config = { operation: 'add', value: '{{ trigger.payload.at }}', timezone: 'Europe/Berlin' };
    expect(await result({ ...config, amount: 1 })).toBe('2026-03-29T12:00:00.000+02:00');
    expect(await result({ ...config, amount: 24, unit: 'hours' })).toBe('2026-03-29T13:00:00.000+02:00');
    expect(await result({ ...config, amount: '{{ -trigger.payload.days }}' })).toBe('2026-03-25T12:00:00.000+01:00');
  });

  it('rejects an amount that is not a number', async () => {
    const add = (amount: Json) => result({ operation: 'add', amount }, 0);
    await expect(add('{{ trigger.payload.nothing }}')).rejects.toMatchObject({
      code: 'config',
      message: "'amount' must be a number, but it is null.",
    });
    await expect(result({ operation: 'add' }, 0)).rejects.toMatchObject({ code: 'config' });
    await expect(add(1e15)).rejects.toMatchObject({ code: 'input' });
  });
});

describe('datetime difference', () => {
  it('is a number of units, until now unless another time is set', async () => {
    const value = '2026-03-28T22:00:00Z';
    expect(await result({ operation: 'difference', value, unit: 'minutes' })).toBe('30');
    expect(await result({ operation: 'difference', value, until: '2026-03-27T10:00:00Z' })).toBe('-1.5');
    expect(await result({ operation: 'difference', value: '2026-01-31', until: '2026-03-31', unit: 'months' })).toBe(
      '2',
    );
  });
});

describe('datetime with invalid values', () => {
  it.each<[string, JsonObject, Json, string, string]>([
    ['an input that is no time', { operation: 'format' }, { a: 1 }, 'input', 'the input must be a time (ISO 8601'],
    ['other text', { operation: 'add', amount: 1 }, 'tomorrow', 'input', 'but it is text that is not a time'],
    ['text of another format', { operation: 'parse', format: 'dd.MM.' }, '2026', 'input', "as in 'format'"],
    ['very long text', { operation: 'parse' }, '2'.repeat(1_000_000), 'input', 'text that is not a time'],
    ['a very long format', { format: 'd'.repeat(1_000_000) }, null, 'config', "'format' must have at most 100"],
    ['no zone', { timezone: 'Mars/Base' }, null, 'config', "'timezone' is not a time zone"],
    ["the machine's zone", { timezone: 'local' }, null, 'config', "'timezone' is not a time zone"],
  ])('fails for %s', async (_what, config, input, code, message) => {
    await expect(result(config, input)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
