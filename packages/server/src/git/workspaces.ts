import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepError } from '@millrace/core';

/** A folder that the steps of one run share. */
interface Workspace {
  readonly folder: string;
  /** The repository and the branch in it; null before the first clone. */
  content: { readonly url: string; readonly branch: string } | null;
  /** Settles when the last step that has it has ended. */
  last: Promise<unknown>;
}

/** The folders of all runs at once. Each may have 200 MiB. */
const maxWorkspaces = 20;

/** The folders in which repositories are, each until its step or its run ends. */
export class Workspaces {
  readonly #byRun = new Map<string, Map<string, Workspace>>();

  /** Calls `act` with a folder that is deleted afterwards. */
  async withOwn<T>(act: (folder: string) => Promise<T>): Promise<T> {
    const folder = await newFolder();
    try {
      return await act(folder);
    } finally {
      await remove(folder);
    }
  }

  /** Calls `act` with a folder of the run, which no other step has meanwhile. */
  async withShared<T>(run: string, name: string, act: (workspace: Workspace) => Promise<T>): Promise<T> {
    const workspace = await this.#workspaceOf(run, name);
    const mine = workspace.last.then(() => act(workspace));
    workspace.last = mine.catch(() => undefined);
    return mine;
  }

  /** Deletes the folders of a run that has ended. */
  async forget(run: string): Promise<void> {
    const workspaces = this.#byRun.get(run);
    this.#byRun.delete(run);
    await Promise.all(
      [...(workspaces?.values() ?? [])].map((workspace) => workspace.last.then(() => remove(workspace.folder))),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRun.keys()].map((run) => this.forget(run)));
  }

  async #workspaceOf(run: string, name: string): Promise<Workspace> {
    const known = this.#byRun.get(run)?.get(name);
    if (known !== undefined) return known;
    const count = [...this.#byRun.values()].reduce((total, { size }) => total + size, 0);
    if (count >= maxWorkspaces) {
      const message = `Executions have ${maxWorkspaces} workspaces at the moment. Try again later, or use no workspace.`;
      throw new StepError('git_unavailable', message, { retryable: true });
    }
    const workspace: Workspace = { folder: await newFolder(), content: null, last: Promise.resolve() };
    const ofRun = this.#byRun.get(run) ?? new Map<string, Workspace>();
    const other = ofRun.get(name);
    if (other !== undefined) {
      // Another step has created it in the meantime.
      await remove(workspace.folder);
      return other;
    }
    this.#byRun.set(run, ofRun.set(name, workspace));
    return workspace;
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `millrace-git-${process.pid}-`));
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
