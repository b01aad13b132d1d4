import { executionList, workflowList } from '@millrace/contract';
import { collaboratorRoles } from '@millrace/core';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { castOf } from './roles.ts';
import { newScene } from './scene.ts';
import { WholeApp } from './whole-app.ts';

/** The number of tested sequences: more before a release. */
const sequences = Number(process.env.ACCESS_SEQUENCES ?? 20);

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

const owner = apiOf(app.server, cast.keys.get('owner') ?? null);
const visitor = apiOf(app.server, cast.keys.get('stranger') ?? null);

/** An action of the owner on a workflow that affects the visitor. */
const actions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('share' as const), role: fc.constantFrom(...collaboratorRoles) }),
    fc.record({ kind: fc.constant('unshare' as const) }),
    fc.record({ kind: fc.constant('publish' as const), isPublic: fc.boolean() }),
    fc.record({ kind: fc.constant('rename' as const) }),
  ),
  { maxLength: 8 },
);

/** The expected access of the visitor to the workflow. */
interface Standing {
  readonly role: 'editor' | 'viewer' | null;
  readonly isPublic: boolean;
}

/** The expected answers to the visitor, however the access was reached. */
function law({ role, isPublic }: Standing) {
  const reads = role !== null || isPublic;
  return {
    read: reads ? 200 : 404,
    write: role === 'editor' ? 200 : reads ? 403 : 404,
    own: reads ? 403 : 404,
    members: role !== null ? 200 : isPublic ? 403 : 404,
    webhook: reads ? 200 : 404,
    execution: role !== null ? 200 : 404,
    isListed: role !== null,
    runsListed: role !== null,
  };
}

it("a visitor's permissions depend on the current access to the workflow, not on its history", async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (sequence) => {
      const scene = await newScene(app, cast);
      let { slug } = scene;
      let standing: Standing = { role: null, isPublic: false };
      const check = async (): Promise<void> => {
        const path = `/api/v1/workflows/${slug}/`;
        const lists = await Promise.all([
          visitor.get('/api/v1/workflows/?limit=1000'),
          visitor.get('/api/v1/executions/?limit=1000'),
        ]);
        const workflows = workflowList.parse(lists[0].body);
        const executions = executionList.parse(lists[1].body);
        expect(workflows.total).toBe(workflows.items.length);
        expect({
          read: (await visitor.get(path)).status,
          write: (await visitor.patch(path, { description: 'x' })).status,
          own: (await visitor.delete(path)).status,
          members: (await visitor.get(`${path}collaborators/`)).status,
          webhook: (await visitor.post(`/api/v1/webhooks/${slug}`, {})).status,
          execution: (await visitor.get(`/api/v1/executions/${scene.present.execution_id}/`)).status,
          isListed: workflows.items.some((item) => item.slug === slug),
          runsListed: executions.items.some(({ execution_id }) => execution_id === scene.present.execution_id),
        }).toEqual(law(standing));
      };
      await check();
      for (const action of sequence) {
        const collaborators = `/api/v1/workflows/${slug}/collaborators/`;
        if (action.kind === 'share') {
          const { status } = await owner.post(collaborators, { username: 'stranger', role: action.role });
          if (status === 409) await owner.patch(`${collaborators}stranger/`, { role: action.role });
          standing = { ...standing, role: action.role };
        } else if (action.kind === 'unshare') {
          await owner.delete(`${collaborators}stranger/`);
          standing = { ...standing, role: null };
        } else if (action.kind === 'publish') {
          await owner.patch(`/api/v1/workflows/${slug}/`, { is_public: action.isPublic });
          standing = { ...standing, isPublic: action.isPublic };
        } else {
          await owner.patch(`/api/v1/workflows/${slug}/`, { slug: `${slug}x` });
          slug = `${slug}x`;
        }
        await check();
      }
      await owner.delete(`/api/v1/workflows/${slug}/`);
      standing = { role: null, isPublic: false };
      await check();
    }),
    { numRuns: sequences },
  );
});
