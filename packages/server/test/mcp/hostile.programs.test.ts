import { expect, test } from 'vitest';
import { turnMs, watched } from './watched-use.ts';

/** A program with the handshake of the protocol, and its own way to list tools. */
function program(list: string, discover = "out({ id, error: { code: -32601, message: 'unknown' } })") {
  const script = `
    import { createInterface } from 'node:readline';
    const out = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const forever = (text) => {
      const go = () => {
        while (process.stdout.write(text));
        process.stdout.once('drain', go);
      };
      go();
    };
    const tool = { name: 't', inputSchema: { type: 'object' } };
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'server/discover') ${discover};
      else if (method === 'initialize') {
        const serverInfo = { name: 'x', version: '1' };
        out({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
      } else if (method === 'tools/list') {
        ${list}
      }
    });`;
  return { command: process.execPath, args: ['--input-type=module', '--eval', script], env: {} };
}

const own = (count: number) =>
  `const own = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} }) + '\\n';
   ${count === 0 ? 'forever(own.repeat(1000));' : `process.stdout.write(own.repeat(${count}));`}`;

test.each([
  ['requests without an end', own(0), 'comes with more than 1000 other messages'],
  ['a line without an end', "forever('x'.repeat(1 << 20));", 'is longer than 10485760 bytes'],
  ['text that is not JSON, without an end', "forever('hello\\n'.repeat(1000));", 'comes with more than 1000 other'],
  ['a million tools', 'out({ id, result: { tools: Array(1_000_000).fill(1) } });', 'has more than 200000 values'],
  [
    'a deep schema',
    `out({ id, result: { tools: [{ ...tool, a: JSON.parse('['.repeat(999) + ']'.repeat(999)) }] } });`,
    'deeper',
  ],
])('a program that sends %s is ended, and holds the event loop for no long turn', async (_about, list, message) => {
  const programs = new Map([['all', program(list)]]);
  const used = await watched({ name: 'all' }, (port) => port.tools(), programs);
  expect(used).toMatchObject({ code: 'mcp_error', message: expect.stringContaining(message) });
  expect(used.longestMs).toBeLessThan(turnMs);
});

test('some messages that a program begins on its own are dropped', async () => {
  const programs = new Map([['all', program(`${own(900)} out({ id, result: { tools: [tool] } });`)]]);
  const { code, result } = await watched({ name: 'all' }, (port) => port.tools(), programs);
  expect(code).toBeUndefined();
  expect(result).toMatchObject([{ name: 't' }]);
});

test('a program that ends at the request of a newer protocol is started again with the older one', async () => {
  const programs = new Map([['all', program('out({ id, result: { tools: [tool] } });', 'process.exit(1)')]]);
  const { result } = await watched({ name: 'all' }, (port) => port.tools(), programs);
  expect(result).toMatchObject([{ name: 't' }]);
});
