import { mkdir, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { type GitRequest, type Instant, type JsonObject, Problem, type Published, StepError } from '@millrace/core';
import { FairTurns } from '../ground/fair-turns.ts';
import { type Remote, repositoryAddress } from './remote.ts';
import { maxMemory, Repository } from './repository.ts';
import { withSsh } from './ssh-files.ts';
import { Workspaces } from './workspaces.ts';

/** A request of a step, and what it may use. */
export interface GitStep {
  readonly executionId: string;
  /** The owner of the workflow: owners take turns. */
  readonly ownerId: number;
  readonly request: GitRequest;
  /** Headers with the credential, for the origin of the URL only. */
  readonly headers: Remote['headers'];
  /** The private key of the credential, for an address of ssh. */
  readonly sshKey: string | null;
  /** The time of the step, which is the date of a commit. */
  readonly at: Instant;
  readonly signal: AbortSignal;
}

/** Works with repositories on other servers. */
export interface Git {
  /** @throws StepError `config`, `http_blocked`, `git_unavailable`, `git_auth`, `git_conflict`, `git_failed` */
  perform(step: GitStep): Promise<JsonObject>;
  /** Deletes what a run that has ended kept. Resolves when that is done. */
  forget(executionId: string): Promise<void>;
  close(): Promise<void>;
}

interface GitPorts {
  /** Resolves the host of a URL by the outbound policy. @throws StepError `http_blocked` */
  readonly addressOf: (url: URL) => Promise<string>;
  /** The operator's file with the keys of servers; null: addresses of ssh cannot be used. */
  readonly knownHosts?: string | null;
  /** Bytes of one repository. Default: 200 MiB. */
  readonly maxSize?: number;
  /** Bytes of memory of each process of git. Default: 512 MiB. */
  readonly maxMemory?: number;
  /** Bytes of memory of the machine. */
  readonly machineMemory?: number;
}

/** Operations at once on a large machine: each has processes of git with the memory that they take. */
const maxAtOnce = 8;
/** The part of the memory of a machine that the largest process of each operation may have, all together. */
const shareOfMemory = 0.25;
/** Operations that wait for their turn. */
const maxWaiting = 200;
/** A whole operation; a transfer without progress ends earlier. */
const timeoutMs = 10 * 60_000;

/** The memory of the machine, or of the container. */
function ownMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Operations at once: fewer on a machine with little memory. */
function placesOn(machineMemory: number, ofEach: number): number {
  return Math.max(1, Math.min(maxAtOnce, Math.floor((machineMemory * shareOfMemory) / ofEach)));
}

export function createGit({ addressOf, knownHosts = null, machineMemory = ownMemory(), ...limits }: GitPorts): Git {
  const workspaces = new Workspaces();
  const message = `${maxWaiting} operations of git wait already: try again later.`;
  const atOnce = placesOn(machineMemory, limits.maxMemory ?? maxMemory);
  const turns = new FairTurns({ atOnce, waiting: maxWaiting, message });
  return {
    async perform(step) {
      const { signal, ownerId } = step;
      signal.throwIfAborted();
      try {
        return await turns.take({ id: String(ownerId), isKnown: true }, () => performInTime(step), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Problem) throw new StepError('git_unavailable', message, { retryable: true });
        throw error;
      }
    },
    forget: (executionId) => workspaces.forget(executionId),
    close: () => workspaces.close(),
  };

  async function performInTime(step: GitStep): Promise<JsonObject> {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      return await performIn(step, limit);
    } catch (error) {
      throw limit.aborted && !step.signal.aborted ? tooSlow(step.request.url) : error;
    }
  }

  async function performIn(step: GitStep, limit: AbortSignal): Promise<JsonObject> {
    const { request, headers } = step;
    const reached = repositoryAddress(request.url);
    const { url, isSsh } = reached;
    if (!isSsh) {
      return performAt(step, { ...reached, headers, environment: {}, address: await addressOf(url) }, limit);
    }
    const login = loginOf(step, knownHosts);
    const address = await addressOf(url);
    return withSsh({ ...login, url, address }, (environment) =>
      performAt(step, { ...reached, headers: {}, environment, address }, limit),
    );
  }

  async function performAt(step: GitStep, remote: Remote, limit: AbortSignal): Promise<JsonObject> {
    const { request, executionId } = step;
    const { location } = remote;
    const signal = AbortSignal.any([step.signal, limit]);
    const open = (folder: string) => new Repository(folder, remote, { signal, ...limits });
    const { workspace: name } = request;
    if (name === null) {
      return workspaces.withOwn(async (folder) => {
        const repository = open(folder);
        return perform(step, { repository, branch: await clone(repository, request) });
      });
    }
    return workspaces.withShared({ run: executionId, ownerId: step.ownerId, name }, async (workspace) => {
      const repository = open(workspace.folder);
      const isKept = request.operation !== 'clone' && workspace.content?.location === location;
      if (!isKept && request.operation === 'push') throw nothingToPush(name);
      const branch = isKept && workspace.content !== null ? workspace.content.branch : await renewed();
      if (request.branch !== null && request.branch !== branch) throw otherBranch(name, branch);
      if (isKept && request.operation === 'pull') {
        await repository.fetch(branch, null);
        await repository.fastForward(branch);
      }
      const isHistory = request.operation === 'diff' && Object.keys(request.files).length === 0;
      if (isKept && isHistory) await repository.fetch(branch, request.depth + 1);
      return perform(step, { repository, branch });

      async function renewed(): Promise<string> {
        workspace.content = null;
        await rm(workspace.folder, { recursive: true, force: true });
        await mkdir(workspace.folder, { mode: 0o700 });
        const cloned = await clone(repository, request);
        workspace.content = { location, branch: cloned };
        return cloned;
      }
    });
  }
}

/** Deletes the workspaces of runs that have ended. */
export function forgetEnded(git: Pick<Git, 'forget'>, events: readonly Published[]): void {
  for (const { event } of events) {
    const hasEnded = ['execution_completed', 'execution_failed', 'execution_cancelled'].includes(event.type);
    // A folder that cannot be deleted remains until the operating system empties its temporary folder.
    if (hasEnded && 'executionId' in event) git.forget(event.executionId).catch(() => undefined);
  }
}

/** Reads a branch into an empty folder. Resolves to its name. */
async function clone(repository: Repository, { operation, branch: given, depth }: GitRequest): Promise<string> {
  await repository.init();
  const branch = given ?? (await repository.defaultBranch());
  // One more, with which the oldest one is compared.
  await repository.fetch(branch, operation === 'diff' ? depth + 1 : depth);
  await repository.reset(branch);
  return branch;
}

interface Place {
  readonly repository: Repository;
  readonly branch: string;
}

async function perform({ request, at }: GitStep, { repository, branch }: Place): Promise<JsonObject> {
  const head = await repository.idOf(`refs/heads/${branch}`);
  switch (request.operation) {
    case 'clone':
    case 'pull': {
      const [about, listed] = [await repository.describe(head), await repository.list(head)];
      return { branch, ...about, ...listed, contents: await repository.read(head, request.paths) };
    }
    case 'diff': {
      const hasFiles = Object.keys(request.files).length > 0;
      const before = hasFiles ? head : await repository.ancestor(head, request.depth);
      const after = hasFiles ? await repository.treeWith(head, request.files) : head;
      return { branch, commit: head, ...(await repository.diff(before, after, request.paths)) };
    }
    case 'commit': {
      const commit = await repository.commit(head, { ...request, at });
      const isChanged = commit !== head;
      await repository.setBranch(branch, commit);
      if (request.push) await repository.push(branch, commit);
      return { branch, commit, changed: isChanged, pushed: request.push };
    }
    case 'push':
      await repository.push(branch, head);
      return { branch, commit: head, pushed: true };
  }
}

/** @throws StepError `config`, `git_unavailable` */
function loginOf({ sshKey: key }: GitStep, knownHosts: string | null) {
  if (key === null) {
    const message = "'url' is an address of ssh: set credential_id to a git credential with an ssh_private_key.";
    throw new StepError('config', message);
  }
  if (knownHosts !== null) return { key, knownHosts };
  const message =
    'The keys of servers are not known: the operator of the service names them in MILLRACE_SSH_KNOWN_HOSTS.';
  throw new StepError('git_unavailable', message);
}

function nothingToPush(name: string): StepError {
  const message = `The workspace '${name}' does not have this repository: clone it and commit to it in the same execution.`;
  return new StepError('git_failed', message);
}

function otherBranch(name: string, branch: string): StepError {
  return new StepError('git_failed', `The workspace '${name}' has the branch '${branch}': clone the other one first.`);
}

function tooSlow(url: string): StepError {
  const message = `The git server of ${repositoryAddress(url).url.host} needed more than ${timeoutMs / 60_000} minutes.`;
  return new StepError('git_unavailable', message, { retryable: true });
}
