import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Line } from '../../test/support/line.ts';
import { Connections } from './connections.ts';

let line: Line;
let connections: Connections;
beforeEach(async () => {
  line = await Line.open();
  connections = new Connections(line.time.timers);
  connections.add(line.connection);
});
afterEach(async () => {
  connections.remove(line.connection);
  await line.close();
  expect(line.time.pending).toBe(0);
});

describe('the connection check', () => {
  it('closes connections with an expired key within half a second', async () => {
    line.isValid = false;
    line.time.advance(500);
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('queries the store when access has changed', async () => {
    line.isStored = false;
    line.time.advance(1000);
    connections.recheck();
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('queries again if the store could not answer', async () => {
    let asked = 0;
    line.ask = async () => {
      asked += 1;
      if (asked === 1) throw new Error('the store is gone');
      return false;
    };
    connections.recheck();
    await line.untilIdle();
    expect(asked).toBe(1);
    line.time.advance(500);
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('queries once more if access changes during the query', async () => {
    const asked: string[] = [];
    line.ask = async () => {
      if (asked.push('asked') === 1) connections.recheck();
      return true;
    };
    connections.recheck();
    await line.untilIdle();
    expect(asked).toHaveLength(2);
  });

  it('allows 20 connections per key', () => {
    const { principal } = line;
    expect(connections.admit(line.connection, principal)).toBeNull();
    const others = Array.from({ length: 19 }, () => ({}) as typeof line.connection);
    expect(others.map((other) => connections.admit(other, principal))).toEqual(others.map(() => null));
    expect(connections.admit({} as typeof line.connection, principal)).toBe('crowd');
    expect(connections.admit({} as typeof line.connection, { ...principal, keyId: 2 })).toBeNull();
    connections.remove(others[0] as typeof line.connection);
    expect(connections.admit({} as typeof line.connection, principal)).toBeNull();
    for (const connection of connections.all) connections.remove(connection);
  });

  it('allows 200 connections per user, whatever their keys', () => {
    const { principal } = line;
    const admitted = Array.from({ length: 201 }, (_, index) =>
      connections.admit({} as typeof line.connection, { ...principal, keyId: index }),
    );
    expect(admitted.filter((closing) => closing === null)).toHaveLength(200);
    expect(admitted.at(-1)).toBe('userCrowd');
    const user = { ...principal.user, id: principal.user.id + 1 };
    expect(connections.admit({} as typeof line.connection, { ...principal, user })).toBeNull();
    for (const connection of connections.all) connections.remove(connection);
  });
});
