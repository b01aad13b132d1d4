import {
  type ChangedVariable,
  changedVariable,
  newVariable,
  Problem,
  type SchemaIssue,
  shownValue,
  type User,
  type Variable,
  type VariableChange,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Vault } from '../../secrets/keys/vault.ts';
import { withPresentKey } from '../../secrets/present-key.ts';
import { originsOf } from '../../secrets/tool-secret.ts';
import { openVariable, sealVariable } from '../../secrets/variable-secret.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { NewVariable, StoredVariable } from '../../store/variables.ts';
import type { Actor } from '../credentials/credentials.ts';

/** The owner of variables: a workflow's id, or null for the instance. */
type Owner = number | null;

/** Every workflow reads the variables of the instance, so only admins manage them. @throws Problem `admins_only` */
export function requireAdminOfVariables({ isAdmin }: Pick<User, 'isAdmin'>): void {
  if (!isAdmin) throw new Problem('admins_only', 'Only an admin may manage the variables of the instance.');
}

/** Variables of the instance and of workflows. The caller's access was checked before. */
export interface Variables {
  /** Newest first. */
  list(owner: Owner, page: { readonly limit: number; readonly offset: number }): Promise<Page<Variable>>;
  /** @throws Problem `not_found` */
  find(owner: Owner, name: string): Promise<Variable>;
  /** @throws Problem `invalid`, `conflict` if the name is taken or there are too many */
  create(actor: Actor, owner: Owner, request: VariableChange & { readonly name: string }): Promise<Variable>;
  /**
   * `change.name` renames it.
   * @throws Problem `invalid`, `not_found`, `secret_unreadable`, `conflict` if the name is taken
   */
  update(
    actor: Actor,
    owner: Owner,
    edit: { readonly name: string; readonly change: VariableChange & { readonly name?: string | undefined } },
  ): Promise<Variable>;
  /** @throws Problem `not_found` */
  remove(actor: Actor, owner: Owner, name: string): Promise<void>;
}

interface VariablesPorts {
  readonly store: Pick<Store, 'variables'>;
  readonly vault: Vault;
  readonly log: Pick<Logger, 'info'>;
}

/** Variables of one owner: as many as one page of a list shows. */
const mostVariables = 1000;
/** Characters of all values of one owner, as JSON: a run may read those of the instance and of its workflow. */
const mostVariablesLength = 4 * 1024 * 1024;
/** An attempt fails only if the same variable was written meanwhile. This many in a row are very unlikely. */
const maxTries = 5;

const most = { most: mostVariables, mostLength: mostVariablesLength };

export function createVariables(ports: VariablesPorts): Variables {
  const { store, vault, log } = ports;
  return {
    list: (workflowId, page) => store.variables.list({ workflowId, ...page }),
    find: async (workflowId, name) => withoutSeal(await find(ports, workflowId, name)),
    async create(actor, workflowId, { name, ...change }) {
      const variable = checked(newVariable(change));
      const created = await withPresentKey(vault, () =>
        store.variables.insert({ ...sealed(vault, { workflowId, name }, variable), ...most }),
      );
      if (created === 'exists') throw nameTaken(name);
      if (created === 'too_large') throw tooLarge();
      if (created === 'full') throw new Problem('conflict', `There are ${mostVariables} variables: delete one first.`);
      log.info({ ...actor, workflowId, variable: name }, 'variable created');
      return created;
    },
    async update(actor, workflowId, { name, change }) {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const result = await withPresentKey(vault, () => update(ports, workflowId, { name, change }));
        if (result === 'stale') continue;
        if (result === 'exists') throw nameTaken(change.name ?? name);
        if (result === 'too_large') throw tooLarge();
        const renamed = result.name === name ? {} : { newName: result.name };
        log.info({ ...actor, workflowId, variable: name, ...renamed }, 'variable changed');
        return result;
      }
      throw new Problem('conflict', 'Others are changing this variable. Try again.');
    },
    async remove(actor, workflowId, name) {
      if (!(await store.variables.remove({ workflowId, name }))) throw notFound();
      log.info({ ...actor, workflowId, variable: name }, 'variable deleted');
    },
  };
}

async function find({ store }: VariablesPorts, workflowId: Owner, name: string): Promise<StoredVariable> {
  const stored = await store.variables.byName({ workflowId, name });
  if (stored === null) throw notFound();
  return stored;
}

async function update(
  ports: VariablesPorts,
  workflowId: Owner,
  { name, change }: Parameters<Variables['update']>[2],
): ReturnType<VariablesPorts['store']['variables']['update']> {
  const { store, vault } = ports;
  const stored = await find(ports, workflowId, name);
  const variable = checked(changedVariable(stored, change));
  const filled =
    variable.isSecret && variable.value === null ? { ...variable, value: opened(vault, stored) } : variable;
  return store.variables.update({
    ...sealed(vault, { workflowId, name: change.name ?? name }, filled),
    before: name,
    revision: stored.revision,
    mostLength: mostVariablesLength,
  });
}

/** @throws Problem `invalid` */
function checked(result: ReturnType<typeof changedVariable>): ChangedVariable {
  if ('issues' in result) throw invalid(result.issues);
  const { variable } = result;
  const hosts = variable.isSecret ? variable.allowedHosts : [];
  const noHost = hosts.find((host) => originsOf([host]).length === 0);
  if (noHost === undefined) return variable;
  const message = `'${noHost}' is not a host that can be reached`;
  throw invalid([{ type: 'value_error', path: ['allowed_hosts'], message }]);
}

function invalid(issues: readonly SchemaIssue[]): Problem {
  return new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', ...path], msg: message })),
  );
}

function opened(vault: Vault, { sealed, ...subject }: StoredVariable): string {
  // Only a secret variable can have a masked value.
  if (sealed === null) throw new Error(`variable ${subject.name} has no secret`);
  return openVariable(vault, { ...subject, sealed });
}

/** The variable as it is stored: for a secret its mask and its encrypted value. */
function sealed(
  vault: Vault,
  { workflowId, name }: { readonly workflowId: Owner; readonly name: string },
  variable: ChangedVariable,
): NewVariable {
  const { isSecret, value } = variable;
  if (!isSecret) return { workflowId, name, value, isSecret, allowedHosts: [], sealed: null };
  const { allowedHosts } = variable;
  const subject = { workflowId, name, allowedHosts, value: shownValue(variable) };
  return { ...subject, isSecret, sealed: sealVariable(vault, subject, String(value)) };
}

function withoutSeal({ name, value, isSecret, allowedHosts }: StoredVariable): Variable {
  return { name, value, isSecret, allowedHosts };
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', `Variable '${name}' already exists.`);
}

function tooLarge(): Problem {
  const detail = `The values of all variables here may have ${mostVariablesLength} characters of JSON together: shorten or delete some.`;
  return new Problem('conflict', detail);
}

function notFound(): Problem {
  return new Problem('not_found', 'Variable not found.');
}
