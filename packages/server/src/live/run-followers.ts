import type { Hub, Subscriber } from './hub.ts';
import type { Principal } from './principal.ts';
import { notFoundDetail, type Topic } from './topic.ts';

/** A run that is followed, and who follows it. */
interface Following {
  /** Null for a request of this process: its right ends with the request. */
  readonly principal: Principal | null;
  readonly run: { readonly workflowId: number; readonly executionId: string };
  /** Takes the data of an event; never throws. A slow reader may drop an ephemeral event. */
  readonly deliver: (event: RunEvent, isEphemeral: boolean) => void;
  /** The principal may no longer read the run: nothing more is delivered. */
  readonly revoked: (detail: string) => void;
}

/** An event as a WebSocket would receive it. */
interface RunEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface FollowersPorts {
  readonly hub: Hub;
  readonly mayStillRead: (user: Principal['user'], topic: Topic) => Promise<boolean>;
  /** Called when anyone's permissions change. */
  readonly onAccessChanged: (callback: () => void) => void;
}

/** Delivers the events of runs to requests that stream them, for as long as the caller may read the run. */
export class RunFollowers {
  readonly #ports: FollowersPorts;
  readonly #open = new Set<Follower>();

  constructor(ports: FollowersPorts) {
    this.#ports = ports;
    ports.onAccessChanged(() => {
      for (const follower of this.#open) void follower.recheck(ports.mayStillRead);
    });
  }

  /** Follows a run from now on. @returns the function that ends it */
  follow(following: Following): () => void {
    const { hub } = this.#ports;
    const follower = new Follower(following, () => stop());
    const stop = (): void => {
      this.#open.delete(follower);
      hub.drop(follower);
    };
    this.#open.add(follower);
    hub.subscribe(follower, `execution:${following.run.executionId}`, follower.topic);
    return stop;
  }
}

class Follower implements Subscriber {
  readonly topic: Topic;
  readonly #following: Following;
  readonly #stop: () => void;
  #hasEnded = false;

  constructor(following: Following, stop: () => void) {
    this.#following = following;
    this.#stop = stop;
    // Only members start runs.
    this.topic = { kind: 'execution', access: 'member', ...following.run };
  }

  deliver(message: Buffer, isEphemeral = false): void {
    const { principal, deliver } = this.#following;
    if (principal !== null && !principal.stands()) this.#end('The API key or the session is no longer valid.');
    // Safe: the hub has written it.
    else deliver(JSON.parse(message.toString()) as RunEvent, isEphemeral);
  }

  revoked(_channel: string, detail: string): void {
    this.#end(detail);
  }

  /** Ends if the caller's key or right has ended. A database that cannot answer changes nothing. */
  async recheck(mayStillRead: FollowersPorts['mayStillRead']): Promise<void> {
    const { principal } = this.#following;
    if (principal === null) return;
    try {
      if (!(await principal.recheck())) this.#end('The API key or the session is no longer valid.');
      else if (!(await mayStillRead(principal.user, this.topic))) this.#end(notFoundDetail.execution);
    } catch {
      // The next event checks the key again.
    }
  }

  #end(detail: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stop();
    this.#following.revoked(detail);
  }
}
