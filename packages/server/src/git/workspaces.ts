import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepError } from '@millrace/core';
import { OwnerPlaces } from '../ground/owner-places.ts';

/** A folder that the steps of one run share. */
interface Workspace {
  readonly folder: string;
  /** The repository and the branch in it; null before the first clone. */
  content: { readonly location: string; readonly branch: string } | null;
  /** Settles when the last step that has it has ended. */
  last: Promise<unknown>;
  readonly giveBack: () => void;
}

/** The name of a workspace in its run. */
interface WorkspaceName {
  readonly run: string;
  readonly ownerId: number;
  readonly name: string;
}

/** The folders of all runs at once. Each may have 200 MiB. */
const maxWorkspaces = 20;

/** The folders in which repositories are, each until its step or its run ends. */
export class Workspaces {
  readonly #byRun = new Map<string, Map<string, Workspace>>();
  readonly #places = new OwnerPlaces(maxWorkspaces);

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
  async withShared<T>(named: WorkspaceName, act: (workspace: Workspace) => Promise<T>): Promise<T> {
    const workspace = await this.#workspaceOf(named);
    const mine = workspace.last.then(() => act(workspace));
    workspace.last = mine.catch(() => undefined);
    return mine;
  }

  /** Deletes the folders of a run that has ended. */
  async forget(run: string): Promise<void> {
    const workspaces = this.#byRun.get(run);
    this.#byRun.delete(run);
    await Promise.all(
      [...(workspaces?.values() ?? [])].map((workspace) => workspace.last.then(() => deleted(workspace))),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRun.keys()].map((run) => this.forget(run)));
  }

  async #workspaceOf({ run, ownerId, name }: WorkspaceName): Promise<Workspace> {
    const known = this.#byRun.get(run)?.get(name);
    if (known !== undefined) return known;
    const giveBack = this.#places.take(ownerId);
    if (giveBack === null) throw tooMany();
    const folder = await newFolder().catch((error: unknown) => {
      giveBack();
      throw error;
    });
    const workspace: Workspace = { folder, content: null, last: Promise.resolve(), giveBack };
    const ofRun = this.#byRun.get(run) ?? new Map<string, Workspace>();
    const other = ofRun.get(name);
    if (other !== undefined) {
      // Another step has created it in the meantime.
      await deleted(workspace);
      return other;
    }
    this.#byRun.set(run, ofRun.set(name, workspace));
    return workspace;
  }
}

function tooMany(): StepError {
  const message =
    `Executions have ${maxWorkspaces} workspaces together, and those of this owner have its share of them. ` +
    'Try again later, or use no workspace.';
  return new StepError('git_unavailable', message, { retryable: true });
}

async function deleted({ folder, giveBack }: Workspace): Promise<void> {
  try {
    await remove(folder);
  } finally {
    giveBack();
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `millrace-git-${process.pid}-`));
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
