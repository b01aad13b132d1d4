import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { expectAll, RandomEditor, shownOn } from '../harness/random-edits.ts';
import { adminKey } from '../harness/service.ts';

/** Edits of each person; `npm run test:two-editors` makes 200. */
const edits = Number(process.env.E2E_EDITS ?? '10');
const seed = Number(process.env.E2E_SEED ?? String(Date.now() % 100_000));

journey(
  `J17: two people edit at once, one of them offline for a while, and no edit is lost (seed ${seed})`,
  async (scene) => {
    const { page, service } = scene;
    const first = await Editor.create(
      page,
      service,
      'name: Two editors\ntrigger: manual\nsteps:\n  - {id: only, type: template, template: One}\n',
    );
    const other = await scene.newPage(adminKey);
    const second = new Editor(other, service, first.slug);
    await second.open();
    // An edit on an old version is rejected, and sent again on the new one.
    scene.expectFailure({ url: /\/graph\/$/, status: 409 });
    scene.expectFailure({ url: /./, status: 0 });
    const ann = new RandomEditor(page, first, { type: 'template', seed });
    const ben = new RandomEditor(other, second, { type: 'wait', seed: seed + 1 });
    for (let count = 0; count < edits; count += 1) {
      // Offline for the middle third.
      if (count === Math.floor(edits / 3)) await other.context().setOffline(true);
      if (count === Math.floor((2 * edits) / 3)) {
        await other
          .getByText(/not saved/)
          .first()
          .waitFor();
        await other.context().setOffline(false);
      }
      await Promise.all([ann.edit(), ben.edit()]);
    }
    await Promise.all([page, other].map((each) => each.getByText('Saved', { exact: true }).waitFor()));
    const count = 2 + ann.nodes.size + ben.nodes.size;
    await first.expectStored(({ nodes }) => expect(nodes).toHaveLength(count));
    const stored = new Map(
      (await first.stored()).nodes.map(({ node_id: id, position_x: x, position_y: y }) => [id, { x, y }]),
    );
    expectAll(ann.nodes, stored);
    expectAll(ben.nodes, stored);
    for (const each of [page, other]) {
      await eventually(async () => {
        await each.getByRole('button', { name: 'Fit view' }).click();
        return shownOn(each);
      }).toEqual(stored);
    }
  },
);
