import { exceedsFact, type Json, type MemoryFact, maxFacts, maxFactValue, Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { StoredSpace } from '../../store/memory.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { loadWritableWorkflow } from '../access/access.ts';

/** Whose facts a caller asks for. */
export interface AskedSpace {
  readonly scope: StoredSpace['scope'];
  readonly workflowSlug?: string | undefined;
  readonly userId?: string | undefined;
}

interface AskedFacts {
  readonly key?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * What workflows remember, for people. The editors of a workflow read and change its facts; what the workflows of a user
 * know about people, and share, only that user.
 */
export interface Facts {
  /** @throws Problem `invalid`, `not_found`, `read_only` */
  list(user: User, asked: AskedSpace, which: AskedFacts): Promise<Page<MemoryFact>>;
  /** @throws Problem `invalid` also for a value that is too large, `conflict` if the scope has no room */
  put(user: User, asked: AskedSpace, fact: { readonly key: string; readonly value: Json }): Promise<MemoryFact>;
  remove(user: User, asked: AskedSpace, key: string): Promise<void>;
  clear(user: User, asked: AskedSpace): Promise<void>;
}

interface FactPorts {
  readonly store: Pick<Store, 'memory' | 'workflows' | 'collaborators'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Characters of all values of a page: a list of the largest values would take a second to send. */
const maxPageSize = 4_194_304;

export function createFacts({ store, clock }: FactPorts): Facts {
  const { memory } = store;
  const spaceOf = (user: User, asked: AskedSpace) => loadSpace(store, user, asked);
  return {
    async list(user, asked, { key, q, limit, offset }) {
      const space = await spaceOf(user, asked);
      if (key === undefined) {
        const query = q === undefined || q.trim() === '' ? null : q;
        return memory.list({ space, query, limit, offset, characters: maxPageSize });
      }
      if (q !== undefined) throw invalid('q', 'cannot be combined with `key`');
      const found = await memory.find({ space, key });
      return found === null ? { items: [], total: 0 } : { items: offset === 0 ? [found] : [], total: 1 };
    },
    async put(user, asked, { key, value }) {
      const space = await spaceOf(user, asked);
      if (exceedsFact(value)) {
        const msg = `must have at most ${maxFactValue} characters as JSON`;
        throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'value'], msg }]);
      }
      const stored = await memory.put({ space, key, value, at: clock.now() });
      if (stored !== 'full') return stored;
      throw new Problem('conflict', `This scope has ${maxFacts} facts, the most that it may have. Delete some.`);
    },
    async remove(user, asked, key) {
      await memory.remove({ space: await spaceOf(user, asked), key });
    },
    async clear(user, asked) {
      await memory.clear({ space: await spaceOf(user, asked) });
    },
  };
}

async function loadSpace(
  store: Pick<Store, 'workflows' | 'collaborators'>,
  user: User,
  { scope, workflowSlug, userId }: AskedSpace,
): Promise<StoredSpace> {
  if (scope !== 'workflow' && workflowSlug !== undefined) throw invalid('workflow_slug', onlyFor('workflow'));
  if (scope !== 'user' && userId !== undefined) throw invalid('user_id', onlyFor('user'));
  if (scope === 'global') return { scope, ownerId: user.id };
  if (scope === 'user') {
    if (userId === undefined) throw invalid('user_id', requiredFor('user'));
    return { scope, ownerId: user.id, userId };
  }
  if (workflowSlug === undefined) throw invalid('workflow_slug', requiredFor('workflow'));
  return { scope, workflowId: (await loadWritableWorkflow(store, user, workflowSlug)).id };
}

const onlyFor = (scope: string) => `is only for the scope \`${scope}\``;
const requiredFor = (scope: string) => `is required for the scope \`${scope}\``;

function invalid(parameter: string, msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['query', parameter], msg }]);
}
