import type { Graph } from '@millrace/core';

/** The JSON of graphs, made once each: reading a workflow costs no more for one with many nodes. */
export class GraphTexts {
  readonly #write: (graph: Graph) => string;
  // A graph object never changes, and whoever keeps it keeps its text.
  readonly #texts = new WeakMap<Graph, string>();

  constructor(write: (graph: Graph) => string) {
    this.#write = write;
  }

  of(graph: Graph): string {
    const known = this.#texts.get(graph);
    if (known !== undefined) return known;
    const text = this.#write(graph);
    this.#texts.set(graph, text);
    return text;
  }
}
