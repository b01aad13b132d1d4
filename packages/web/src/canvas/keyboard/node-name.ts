/** What a screen reader says about a node. */
export interface NodeFacts {
  readonly label: string;
  readonly type: string;
  /** The state of its step in the watched run. */
  readonly state: string | null;
  readonly isActive: boolean;
  readonly problems: number;
  readonly inputs: { readonly connected: number; readonly all: number };
}

/** `Fetch, HTTP request, succeeded, 2 problems, inputs 1 of 2 connected`. */
export function nodeName({ label, type, state, isActive, problems, inputs }: NodeFacts): string {
  return [
    label,
    type === label ? null : type,
    isActive ? null : 'disabled',
    state,
    problems === 0 ? null : problems === 1 ? '1 problem' : `${problems} problems`,
    inputs.all === 0 ? null : `inputs ${inputs.connected} of ${inputs.all} connected`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}
