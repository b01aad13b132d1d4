import { emptyConfig, findNode, type JsonObject } from '@millrace/core/editing';
import { DraftStore } from '../../state/draft/draft-store.ts';
import { localDraft } from '../../state/draft/local-draft.ts';
import { ModelService, rules } from '../../state/draft/model-service.testkit.ts';
import { type FieldEvent, type ShownField, shownField } from '../../state/fields/field-draft.ts';
import { FieldDrafts, type NodeDrafts } from '../../state/fields/field-drafts.ts';
import { localFields } from '../../state/fields/stored-fields.ts';
import { handleFieldEvent } from '../controls/field-input.ts';
import type { FieldKind } from '../fields/field.ts';
import { configChanges, type NodeConfig, type NodeField, pathOf, valueAt, valuesOf } from '../fields/node-fields.ts';
import { rulesOf } from '../formats/field-rules.ts';
import { editField } from './edit-field.ts';
import { FormEdits } from './form-edits.ts';

const kinds: Readonly<Record<string, FieldKind>> = {
  body: { kind: 'any' },
  items: { kind: 'json', isList: true },
  url: { kind: 'text' },
  status: { kind: 'number', minimum: 1, maximum: 599, isWhole: true, unit: null },
  wait: { kind: 'duration', unit: 'seconds' },
  method: { kind: 'choice', options: ['GET', 'PUT'] },
  accept: { kind: 'boolean' },
  headers: { kind: 'map', isText: true },
  names: { kind: 'texts', suggestions: [] },
  prompt: { kind: 'prompt' },
};

/** The fields of the nodes: each kind that is typed or chosen. */
export const fields: readonly NodeField[] = Object.entries(kinds).map(([key, field]) => ({
  ...{ key, label: key, description: '', isRequired: false, field, takesExpression: true, defaultValue: undefined },
  ...{ example: undefined, isAdvanced: false, when: {}, place: 'extra', hasExpressions: true },
}));

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** What a field shows, and what is known about it. */
export interface SeenField extends ShownField {
  readonly name: string;
  /** Its value in the form. */
  readonly value: unknown;
  readonly stored: unknown;
}

/** A browser with the editor of a workflow with two nodes, without its drawing: what is typed, shown and stored. */
export class TypingPage {
  readonly service = new ModelService();
  readonly #texts = new Map<string, string>();
  readonly #timers = new Set<Timer>();
  #now = 0;
  #count = 0;
  #store: DraftStore | null = null;
  #drafts = new FieldDrafts();
  #edits: FormEdits | null = null;
  #config: unknown = null;
  node = 'a';

  async open(): Promise<void> {
    const id = (): string => {
      this.#count += 1;
      return String(this.#count);
    };
    if (this.service.graph.nodes.length === 0) this.#addNodes();
    this.#timers.clear();
    this.#drafts = new FieldDrafts(localFields(this.#storage, { workflowId: 1, tab: 'one' }));
    this.#store = await DraftStore.open({
      rules,
      storage: localDraft(this.#storage, { workflowId: 1, tab: 'one' }),
      send: async (request) => this.service.apply(request),
      read: async () => this.service.graph,
      after: (ms, run) => this.#after(ms, run),
      now: () => this.#now,
      newId: id,
    });
    this.#showForm();
  }

  get save(): string {
    return this.#opened.getSnapshot().save.kind;
  }

  /** The fields of which the header says that they are not saved. */
  get unsaved(): readonly string[] {
    return this.#drafts.getUnsaved().map(({ owner, path }) => `${owner.node_id} ${path}`);
  }

  get isWaiting(): boolean {
    return this.#drafts.isWaiting();
  }

  /** The field of the open form. */
  field(key: string): SeenField {
    this.#draw();
    const field = fieldNamed(key);
    const value = this.#values()[key];
    const shown = shownField(this.#nodeDrafts.draft(key), { rules: rulesOf(field), value });
    const problem = shown.problem ?? this.#form.heldBecause(pathOf(field)) ?? null;
    return { ...shown, problem, name: `${this.node} ${key}`, value, stored: this.#stored()[key] };
  }

  handle(key: string, event: FieldEvent): void {
    this.#draw();
    const field = fieldNamed(key);
    const onChange = (value: unknown): void =>
      editField(this.#editedForm, field, { value, stored: this.#stored()[key] });
    const storedAt = (path: string): unknown => valueAt(this.#stored(), path);
    const value = this.#values()[key];
    handleFieldEvent(event, { drafts: this.#nodeDrafts, path: key, rules: rulesOf(field), value, onChange, storedAt });
  }

  /** A control without text gives a value. */
  choose(key: string, value: unknown): void {
    this.#draw();
    editField(this.#editedForm, fieldNamed(key), { value, stored: this.#stored()[key] });
  }

  /** A field was left. */
  blur(key: string): void {
    this.handle(key, { kind: 'left' });
    this.#form.flush();
  }

  select(node: string): void {
    this.#form.flush();
    this.node = node;
    this.#showForm();
  }

  undo(): void {
    this.#opened.undo();
  }

  redo(): void {
    this.#opened.redo();
  }

  async reload(): Promise<void> {
    this.#form.flush();
    this.#opened.close();
    await this.open();
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      const [due] = [...this.#timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      this.#draw();
    }
    this.#now = end;
  }

  get #opened(): DraftStore {
    if (this.#store === null) throw new Error('The page is not open.');
    return this.#store;
  }

  get #form(): FormEdits {
    if (this.#edits === null) throw new Error('The page is not open.');
    return this.#edits;
  }

  get #editedForm() {
    return { edits: this.#form, drafts: this.#nodeDrafts };
  }

  get #nodeDrafts(): NodeDrafts {
    const { id, componentType } = this.#shownNode();
    return this.#drafts.of({ id, node_id: this.node, component_type: componentType });
  }

  get #storage() {
    const texts = this.#texts;
    return {
      getItem: (key: string) => texts.get(key) ?? null,
      setItem: (key: string, text: string) => void texts.set(key, text),
      removeItem: (key: string) => void texts.delete(key),
    };
  }

  #shownNode() {
    const found = findNode(this.#opened.getSnapshot().view.graph, this.node);
    if (found === undefined) throw new Error('The node does not exist.');
    return found;
  }

  #values() {
    return valuesOf(this.#shownNode().config as NodeConfig, fields, this.#form.getShown());
  }

  #stored() {
    return valuesOf(this.#shownNode().config as NodeConfig, fields, new Map());
  }

  /** The page is drawn after each event; a new config contains what was sent. */
  #draw(): void {
    const { config } = this.#shownNode();
    if (config === this.#config) return;
    this.#config = config;
    this.#form.stored();
  }

  #showForm(): void {
    const { node } = this;
    this.#config = this.#shownNode().config;
    this.#edits = new FormEdits({
      after: (ms, run) => this.#after(ms, run),
      store: (edits) => {
        const changes = { config: configChanges(edits, fields) as JsonObject };
        const operations = [{ op: 'update_node', nodeId: node, changes }] as const;
        this.#opened.perform({ label: 'Change', operations, field: `${node} ${[...edits.keys()].join(' ')}` });
      },
      drafts: this.#nodeDrafts,
    });
  }

  #after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  #addNodes(): void {
    const operations = ['a', 'b'].map((nodeId) => ({
      op: 'create_node' as const,
      node: {
        ...{ nodeId, label: null, componentType: 'template', isEntryPoint: false, interruptBefore: false },
        ...{ interruptAfter: false, positionX: 0, positionY: 0, subworkflowId: null, codeBlockId: null },
        config: { ...emptyConfig, extra_config: {} } as JsonObject,
      },
    }));
    this.service.apply({ requestId: 'nodes', version: this.service.graph.version, operations });
  }
}

function fieldNamed(key: string): NodeField {
  const found = fields.find((field) => field.key === key);
  if (found === undefined) throw new Error(`There is no field ${key}.`);
  return found;
}
