import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ConnectionRules, PortOfNode } from './connection-rules.ts';

/** What a port is for the connection being drawn: nothing is drawn, it fits, or why it does not. */
export type PortFit = 'idle' | 'fits' | { readonly rejection: string };

const idle = 'idle';

/** The connection being drawn. It is outside the data of the cards: only the visible ports are drawn again. */
export class Connecting {
  #from: PortOfNode | null = null;
  #rules: ConnectionRules | null = null;
  #fits = new Map<string, PortFit>();
  readonly #listeners = new Set<() => void>();

  get from(): PortOfNode | null {
    return this.#from;
  }

  get rules(): ConnectionRules | null {
    return this.#rules;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(from: PortOfNode, rules: ConnectionRules): void {
    this.#change(from, rules);
  }

  end(): void {
    this.#change(null, null);
  }

  /** What a port is for the connection. The same answer is the same object. */
  fitOf(port: PortOfNode): PortFit {
    if (this.#from === null || this.#rules === null) return idle;
    const key = `${port.kind} ${port.port} ${port.nodeId}`;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    const rejection = this.#rules.rejection(this.#from, port);
    const fit: PortFit = rejection === null ? 'fits' : { rejection };
    this.#fits.set(key, fit);
    return fit;
  }

  #change(from: PortOfNode | null, rules: ConnectionRules | null): void {
    this.#from = from;
    this.#rules = rules;
    this.#fits = new Map();
    for (const listener of this.#listeners) listener();
  }
}

export const ConnectingContext = createContext(new Connecting());

/** What a port is for the connection being drawn. */
export function usePortFit(nodeId: string, port: string, kind: PortOfNode['kind']): PortFit {
  const connecting = useContext(ConnectingContext);
  return useSyncExternalStore(connecting.subscribe, () => connecting.fitOf({ nodeId, port, kind }));
}

/** Whether a card has no port for the connection being drawn. */
export function useIsRejected(
  nodeId: string,
  ports: readonly { readonly id: string; readonly kind: PortOfNode['kind'] }[],
) {
  const connecting = useContext(ConnectingContext);
  return useSyncExternalStore(connecting.subscribe, () => {
    if (connecting.from === null || connecting.from.nodeId === nodeId) return false;
    return ports.every(({ id, kind }) => connecting.fitOf({ nodeId, port: id, kind }) !== 'fits');
  });
}
