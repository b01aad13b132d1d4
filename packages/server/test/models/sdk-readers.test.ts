import { beforeEach, describe, expect, test } from 'vitest';
import { Providers } from '../support/providers.ts';
import { anthropicOddities } from './anthropic-oddities.ts';
import { bytesOf, type Oddity } from './oddity.ts';
import { openaiOddities } from './openai-oddities.ts';
import { ownReading, type Protocol, sdkReading, type Way } from './readings.ts';

let providers: Providers;
beforeEach(async () => {
  providers = await Providers.start();
});

/** The rows that have the answer in this way. */
function rowsOf(rows: readonly Oddity[], way: Way): readonly Oddity[] {
  return rows.filter(({ whole, events }) => (way === 'whole' ? whole : events) !== undefined);
}

function send({ whole, events = [] }: Oddity, way: Way): void {
  if (way === 'whole') {
    providers.answers(200, whole);
    return;
  }
  const bytes = Buffer.from(bytesOf(events));
  providers.answersWith((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Two writes divide an event, and sometimes a character.
    const half = Math.floor(bytes.length / 2);
    response.write(bytes.subarray(0, half), () => response.end(bytes.subarray(half)));
  });
}

describe.each<[Protocol, Way, readonly Oddity[]]>([
  ['openai', 'whole', openaiOddities],
  ['openai', 'streamed', openaiOddities],
  ['anthropic', 'whole', anthropicOddities],
  ['anthropic', 'streamed', anthropicOddities],
])('our reader and the one of the public SDK (%s, %s)', (protocol, way, rows) => {
  const all = rowsOf(rows, way);

  test.each(all.filter(({ sdk }) => sdk === undefined))('read the same: $about', async (row) => {
    send(row, way);
    expect(await ownReading(providers, protocol, way)).toEqual(row.reads);
    expect(await sdkReading(providers, protocol, way)).toEqual(row.reads);
  });

  test.each(all.filter(({ sdk }) => sdk !== undefined))('differ as described: $about ($sdk.reason)', async (row) => {
    send(row, way);
    expect(await ownReading(providers, protocol, way)).toEqual(row.reads);
    expect(await sdkReading(providers, protocol, way)).toEqual(row.sdk?.reads && { ...row.reads, ...row.sdk.reads });
  });
});
