import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Line } from '../../test/support/line.ts';

let line: Line;
beforeEach(async () => {
  line = await Line.open();
});
afterEach(async () => {
  await line.close();
  // Every timer of a connection ends with it.
  expect(line.time.pending).toBe(0);
});

describe('a client', () => {
  it('subscribes, receives events, and unsubscribes', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await line.receive()).toMatchObject({ type: 'subscribed', channel: 'workflow:mine' });
    line.hub.publish([{ workflowId: 1, event: { type: 'edge_deleted', id: 3 } }]);
    expect(await line.receive()).toMatchObject({ type: 'edge_deleted', channel: 'workflow:mine', data: { id: 3 } });
    line.say({ type: 'unsubscribe', channel: 'workflow:mine' });
    expect(await line.receive()).toEqual({ type: 'unsubscribed', channel: 'workflow:mine' });
    expect(line.channels).toEqual([]);
  });

  it('gets answers in request order, even if one answer needs a look-up', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    line.say({ type: 'unsubscribe', channel: 'workflow:mine' });
    expect([(await line.receive()).type, (await line.receive()).type]).toEqual(['subscribed', 'unsubscribed']);
  });

  it.each([
    ['workflow:other', 'Workflow not found.'],
    ['execution:other', 'Execution not found.'],
    ['news', 'Unknown channel. Use workflow:<slug> or execution:<id>.'],
    ['workflow:', 'Unknown channel. Use workflow:<slug> or execution:<id>.'],
    ['workflow:broken', 'The service cannot check this channel now. Try again later.'],
  ])('gets an error with the reason why it cannot have the channel %s', async (channel, detail) => {
    line.say({ type: 'subscribe', channel });
    expect(await line.receive()).toEqual({ type: 'error', channel, detail });
  });

  it.each([
    ['{', 'Messages must be JSON.'],
    ['[]', "Unknown message: type must be 'auth', 'subscribe', 'unsubscribe' or 'pong'."],
    ['null', "Unknown message: type must be 'auth', 'subscribe', 'unsubscribe' or 'pong'."],
    ['{"type":"publish"}', "Unknown message: type must be 'auth', 'subscribe', 'unsubscribe' or 'pong'."],
    ['{"type":"subscribe"}', "A message of type 'subscribe' needs a channel: text of 1 to 200 characters."],
    ['{"type":"subscribe","channel":5}', "A message of type 'subscribe' needs a channel: text of 1 to 200 characters."],
  ])('survives %s', async (text, detail) => {
    line.say(text);
    expect(await line.receive()).toEqual({ type: 'error', detail });
  });

  it('survives JSON of any depth that fits into a message, and answers only flat messages', async () => {
    const deep = 'Messages may be nested at most 8 levels deep.';
    line.say(`{"type":"pong","x":${'['.repeat(8)}${']'.repeat(8)}}`);
    expect(await line.receive()).toEqual({ type: 'error', detail: deep });
    line.say('['.repeat(60_000));
    expect(await line.receive()).toMatchObject({ type: 'error' });
    line.say(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
    expect(await line.receive()).toMatchObject({ type: 'error' });
  });
});

describe('a connection is limited to', () => {
  it('100 channels, and an unsubscribe frees one', async () => {
    // Only names of one workflow resolve here; each is a separate channel to the hub.
    for (let index = 0; index < 100; index++) {
      line.hub.subscribe(line.connection, `workflow:${index}`, {
        kind: 'workflow',
        workflowId: index,
        access: 'member',
      });
    }
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await line.receive()).toMatchObject({
      detail: expect.stringMatching(/^Too many channels: .* at most 100\. Unsubscribe/),
    });
    expect(line.lookUps).toBe(0);
    line.say({ type: 'subscribe', channel: 'workflow:5' });
    expect(await line.receive()).toMatchObject({ type: 'error', detail: 'Workflow not found.' });
  });

  it('50 messages per second', async () => {
    for (let index = 0; index < 51; index++) line.say({ type: 'pong' });
    expect(await line.ended).toEqual([1008, 'Too many messages']);
  });

  it('100 queued messages while a look-up is in progress', async () => {
    line.lookUp = new Promise(() => undefined);
    for (let index = 0; index < 110; index++) {
      line.say({ type: 'subscribe', channel: 'workflow:mine' });
      if (index % 40 === 39) {
        line.say('{');
        await line.receiveUntil('error');
        line.time.advance(1000);
      }
    }
    expect(await line.ended).toEqual([1008, 'Too many messages']);
  });

  it('text messages', async () => {
    line.sendBytes(Buffer.from('{"type":"pong"}'));
    expect(await line.ended).toEqual([1003, 'Messages must be text']);
  });

  it('64 KiB per message', async () => {
    line.say('x'.repeat(64 * 1024 + 1));
    expect((await line.ended)[0]).toBe(1009);
  });

  it('the number of connections per key', async () => {
    const crowded = await Line.open(false);
    crowded.hasRoom = false;
    crowded.say({ type: 'auth', token: 'good' });
    expect(await crowded.ended).toEqual([1008, 'Too many connections with this key']);
    await crowded.close();
  });
});

describe('a client that does not read its events', () => {
  const event = { type: 'node_deleted', nodeId: 'n'.repeat(50_000) } as const;
  let begin: number;
  beforeEach(async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    begin = Number((await line.receive()).seq);
    line.stopReading();
  });

  /** Sends more than the network buffers hold: several megabytes. */
  async function publishMuch(): Promise<void> {
    for (let sent = 0; sent < 400; sent += 1) {
      line.hub.publish([{ workflowId: 1, event }]);
      if (sent % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('gets no more events, gets resync_required when it reads again, and can replay what it missed', async () => {
    await publishMuch();
    line.readOn();
    const received = await line.receiveUntil('resync_required');
    expect(received.length).toBeLessThan(300);
    const last = Number(received.at(-2)?.seq);
    expect(last).toBe(begin + received.length - 1);
    line.say({ type: 'subscribe', channel: 'workflow:mine', after: last });
    expect(await line.receive()).toEqual({
      type: 'subscribed',
      epoch: expect.any(String),
      channel: 'workflow:mine',
      seq: begin + 400,
      complete: false,
    });
    line.hub.publish([{ workflowId: 1, event: { type: 'edge_deleted', id: 3 } }]);
    const rest = await line.receiveUntil('edge_deleted');
    expect(rest.at(-1)?.seq).toBe(begin + 401);
    expect(rest[0]?.seq).toBe(begin + 402 - rest.length);
  });

  it('is closed after reading nothing for 10 seconds', async () => {
    await publishMuch();
    line.time.advance(9_999);
    expect(line.channels).toHaveLength(1);
    line.time.advance(1);
    expect(line.channels).toHaveLength(0);
    line.readOn();
    expect(await line.ended).toEqual([1013, 'Too slow: the connection does not read its events']);
  });

  it('is closed after reading nothing of a replay for 10 seconds', async () => {
    const small = { type: 'node_deleted', nodeId: 'n'.repeat(40_000) } as const;
    for (let count = 0; count < 12; count += 1) line.hub.publish([{ workflowId: 1, event: small }]);
    // Each replay is half a megabyte; the network buffers hold several of them.
    for (let count = 0; count < 40; count += 1) line.say({ type: 'subscribe', channel: 'workflow:mine', after: begin });
    await line.untilIdle();
    line.time.advance(10_000);
    line.readOn();
    expect((await line.ended)[0]).toBe(1013);
  });

  it('loses its socket if it does not even read the close frame', async () => {
    await publishMuch();
    line.time.advance(12_000);
    line.readOn();
    expect((await line.ended)[0]).toBe(1006);
  });
});

describe('a client that sends its key in its first message', () => {
  let unknown: Line;
  beforeEach(async () => {
    unknown = await Line.open(false);
  });
  afterEach(async () => {
    await unknown.close();
    expect(unknown.time.pending).toBe(0);
  });

  it('is served normally, including messages sent before its key was looked up', async () => {
    unknown.say({ type: 'auth', token: 'good' });
    unknown.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await unknown.receive()).toMatchObject({ type: 'subscribed', channel: 'workflow:mine' });
    unknown.say({ type: 'auth', token: 'good' });
    expect(await unknown.receive()).toEqual({ type: 'error', detail: 'This connection is already authenticated.' });
    unknown.time.advance(5000);
    unknown.time.advance(25_000);
    expect(await unknown.receive()).toEqual({ type: 'ping' });
  });

  it.each([
    { type: 'auth', token: 'bad' },
    { type: 'auth' },
    { type: 'subscribe', channel: 'workflow:mine' },
    'not JSON',
  ])('is closed when it sends %j', async (message) => {
    unknown.say(message);
    unknown.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await unknown.ended).toEqual([1008, 'Invalid or missing token']);
    expect(unknown.lookUps).toBe(0);
  });

  it('gets no wrong-key error when the look-up fails', async () => {
    unknown.say({ type: 'auth', token: 'unreadable' });
    expect(await unknown.ended).toEqual([1013, 'The service cannot check the token now']);
  });

  it('is closed after 5 seconds without a message', async () => {
    unknown.time.advance(5000);
    expect(await unknown.ended).toEqual([1008, 'Invalid or missing token']);
  });
});

describe('a client that reconnects', () => {
  it('gets the missed events between the answer and new events', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    const { seq } = await line.receive();
    line.say({ type: 'unsubscribe', channel: 'workflow:mine' });
    await line.receive();
    const events = [1, 2, 3].map((id) => ({ workflowId: 1, event: { type: 'edge_deleted', id } as const }));
    line.hub.publish(events.slice(0, 2));
    line.say({ type: 'subscribe', channel: 'workflow:mine', after: seq });
    expect(await line.receive()).toEqual({
      type: 'subscribed',
      epoch: expect.any(String),
      channel: 'workflow:mine',
      seq: Number(seq) + 2,
      complete: true,
    });
    line.hub.publish(events.slice(2));
    const received = await Promise.all([line.receive(), line.receive(), line.receive()]);
    expect(received.map(({ data }) => data)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it.each([-1, 1.5, 'x', null])('must send a number, not %j', async (after) => {
    line.say({ type: 'subscribe', channel: 'workflow:mine', after });
    const detail = "The 'after' of a subscription must be a whole number: the seq of the last received event.";
    expect(await line.receive()).toEqual({ type: 'error', detail });
  });
});

describe('a connection', () => {
  it('gets a ping after 30 idle seconds, and is closed after 10 seconds without an answer', async () => {
    line.time.advance(29_999);
    line.time.advance(1);
    expect(await line.receive()).toEqual({ type: 'ping' });
    line.time.advance(10_000);
    expect(await line.ended).toEqual([1008, 'No answer to ping']);
  });

  it('stays open when it answers, and gets further pings', async () => {
    line.time.advance(30_000);
    expect(await line.receive()).toEqual({ type: 'ping' });
    line.time.advance(1000);
    line.say({ type: 'pong' });
    line.say({ type: 'unsubscribe', channel: 'x' });
    expect(await line.receive()).toMatchObject({ type: 'unsubscribed' });
    line.time.advance(29_000);
    line.time.advance(1000);
    expect(await line.receive()).toEqual({ type: 'ping' });
  });

  it('is closed when its key expires, at the latest with the next event', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    await line.receive();
    line.isValid = false;
    line.hub.publish([{ workflowId: 1, event: { type: 'edge_deleted', id: 3 } }]);
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('is closed when its key expires while no events are sent', async () => {
    line.isValid = false;
    line.connection.checkKey();
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('is closed when the store no longer has its key', async () => {
    line.isStored = false;
    await line.connection.recheck();
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('is closed when it may no longer read a channel, with an error that names the channel', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    await line.receive();
    await line.connection.recheck();
    line.mayRead = false;
    await line.connection.recheck();
    expect(await line.receive()).toEqual({ type: 'error', channel: 'workflow:mine', detail: 'Workflow not found.' });
    expect(await line.ended).toEqual([1008, 'Access to a channel has ended']);
  });
});
