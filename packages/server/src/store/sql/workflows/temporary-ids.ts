import { firstNewId } from '@millrace/core';
import type { NodeFields } from '../../graphs.ts';

/** The ids that objects got in one save, by the stand-ins that its changes have for them. */
export class NewIds {
  /** Most saves have no stand-in, so they make no map. */
  #ids: Map<number, number> | undefined;

  note(standIn: number | undefined, id: number): void {
    if (standIn === undefined) return;
    this.#ids ??= new Map();
    this.#ids.set(standIn, id);
  }

  of(id: number): number {
    return id < firstNewId ? id : (this.#ids?.get(id) ?? id);
  }

  /** The node with its model's own id, where its config has a stand-in for it. */
  linked<Fields extends NodeFields>(node: Fields): Fields {
    const link = node.config.llm_model_config_id;
    if (typeof link !== 'number' || link < firstNewId) return node;
    return { ...node, config: { ...node.config, llm_model_config_id: this.of(link) } };
  }
}
