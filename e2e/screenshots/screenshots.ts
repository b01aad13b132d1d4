import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Service } from '../harness/service.ts';
import { Stage, visit } from '../harness/stage.ts';
import { root } from '../harness/web-app.ts';
import { type Seeded, seed } from './seed.ts';
import { type Shot, shots } from './shots.ts';

const folder = join(root, 'docs/screenshots');

/** Only the shots whose name contains one of the words; all without any. */
const wanted = process.argv.slice(2);

/** Animations that the system setting does not stop, and the cursor, which blinks. */
const settleMs = 600;

/** Another service on this machine: one address fails, and the eighth order never arrives. */
async function startSite() {
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/order/7')) return;
    response.writeHead(url.startsWith('/broken') ? 503 : 200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

async function take(stage: Stage, seeded: Seeded, shot: Shot, colorScheme: 'light' | 'dark'): Promise<void> {
  const first = shot.isFirstRun === true ? await Service.start() : null;
  const options = { colorScheme, ...shot.options };
  const context = first === null ? await stage.user(options) : await stage.visitor(options);
  try {
    const page = await context.newPage();
    if (first !== null) {
      const [link = ''] = /http:\S+\/setup#token=\S+/.exec(first.printed[0] ?? '') ?? [];
      await page.goto(link);
    }
    const set = { stage, seeded, page, goto: (path: string) => visit(page, first ?? stage.service, path) };
    await shot.show(set);
    await page.waitForTimeout(settleMs);
    const path = join(folder, `${shot.name}-${colorScheme}.png`);
    await page.screenshot({ path });
    console.log(path);
  } finally {
    await context.close();
    await first?.stop();
  }
}

mkdirSync(folder, { recursive: true });
const stage = await Stage.open();
const site = await startSite();
let release = (): void => undefined;
stage.model.hold = new Promise((resolve) => {
  release = resolve;
});
stage.model.answer = (text) => `You said: ${text} Two ships came in, and the crane stood still until six.`;
try {
  const seeded = await seed(stage, site.url);
  for (const shot of shots.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await take(stage, seeded, shot, colorScheme).catch((error: Error) => {
        console.error(`${shot.name}: ${error.message}`);
        process.exitCode = 1;
      });
    }
  }
} finally {
  release();
  await stage.close();
  site.stop();
}
