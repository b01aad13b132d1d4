import { firstNewId } from '@millrace/core';
import type { NodeFields } from '../../graphs.ts';

/** Maps the temporary ids in the changes of one save to the ids of the stored objects. */
export class NewIds {
  /** Most saves have no temporary id, so they create no map. */
  #ids: Map<number, number> | undefined;

  note(temporaryId: number | undefined, id: number): void {
    if (temporaryId === undefined) return;
    this.#ids ??= new Map();
    this.#ids.set(temporaryId, id);
  }

  of(id: number): number {
    return id < firstNewId ? id : (this.#ids?.get(id) ?? id);
  }

  /** The node with the real id of its model, if its config has a temporary id. */
  linked<Fields extends NodeFields>(node: Fields): Fields {
    const link = node.config.llm_model_config_id;
    if (typeof link !== 'number' || link < firstNewId) return node;
    return { ...node, config: { ...node.config, llm_model_config_id: this.of(link) } };
  }
}
