import { catalogue } from '@millrace/components';
import { type Catalogue, type Component, defineComponent, type StepResult } from '@millrace/core';
import { z } from 'zod';
import { configFromEnvironment } from '../../src/ground/config.ts';
import { createLog } from '../../src/ground/log.ts';
import { startService } from '../../src/process/start.ts';

const config = z.strictObject({
  how: z
    .enum(['stalls', 'stalls later', 'stalls when checked', 'aborts', 'exits', 'throws later'])
    .check(({ value }) => {
      if (value === 'stalls when checked') stall();
    })
    .describe('How the step ends the service.'),
});

/** A value that ends after a turn of the event loop. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

function stall(): never {
  for (;;);
}

/** A component that does what no component may do. */
const harmful = defineComponent({
  type: 'harmful',
  label: 'Harmful',
  category: 'Logic',
  description: 'Ends the service.',
  icon: 'bomb',
  color: '#000000',
  inputs: [{ name: 'input', dataType: 'any', description: 'A value.', required: false }],
  outputs: [{ name: 'output', dataType: 'any', description: 'A value.' }],
  subInputs: [],
  effect: 'idempotent',
  version: 1,
  config,
  run: ({ config: { how }, ctx }): StepResult | Promise<StepResult> => {
    if (how === 'stalls') stall();
    if (how === 'aborts') process.abort();
    if (how === 'exits') process.exit(3);
    if (how === 'stalls later')
      return ctx.runScript({ language: 'javascript', source: 'return 1', scope: {} }).then(stall);
    void later().then(() => {
      throw new Error('nobody catches this');
    });
    return later()
      .then(later)
      .then(() => ({ outputs: {} }));
  },
}) as unknown as Component<never>;

const withHarmful: Catalogue = new Map([...catalogue, [harmful.type, harmful]]);

const settings = configFromEnvironment();
const endMs = Number(process.env.STALL_END_MS ?? 30_000);
const service = await startService(settings, createLog(settings.logLevel), {
  catalogue: withHarmful,
  stallLimits: { stallMs: 200, endMs },
});
if (process.env.STALL_BY_TIMER === '1') setTimeout(stall, 100);
console.log(service.greeting.join('\n'));
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
