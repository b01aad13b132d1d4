import { emptyConfig, findNode, type JsonObject } from '@millrace/core/editing';
import type { Conflict } from '../../state/draft/draft.ts';
import { DraftStore } from '../../state/draft/draft-store.ts';
import { localDraft } from '../../state/draft/local-draft.ts';
import { ModelService, rules } from '../../state/draft/model-service.testkit.ts';
import { type FieldEvent, type ShownField, shownField } from '../../state/fields/field-draft.ts';
import { FieldDrafts, keyOf, type NodeDrafts } from '../../state/fields/field-drafts.ts';
import { localFields } from '../../state/fields/stored-fields.ts';
import { restartFields } from '../../state/fields/stored-value.ts';
import { handleFieldEvent } from '../controls/field-input.ts';
import type { Field, FieldKind } from '../fields/field.ts';
import { labelFieldOf, type NodeField, nodeChanges, pathOf, valueAt, valuesOf } from '../fields/node-fields.ts';
import { asList } from '../formats/values.ts';
import { dividedChanges, editField } from './edit-field.ts';
import { FormEdits } from './form-edits.ts';
import { type FormInput, inputsOf } from './form-inputs.testkit.ts';
import { discardText, lostTexts } from './lost-texts.ts';

const number: FieldKind = { kind: 'number', minimum: 1, maximum: 599, isWhole: true, unit: null };

function fieldOf(key: string, field: FieldKind, given: Partial<Field> = {}): Field {
  return {
    ...{ key, label: key, description: '', isRequired: false, field, takesExpression: true, defaultValue: undefined },
    ...{ example: undefined, isAdvanced: false, when: {} },
    ...given,
  };
}

const limits = [fieldOf('size', number), fieldOf('unit', { kind: 'choice', options: ['kB', 'MB'] })];
const columns = [fieldOf('name', { kind: 'text' }, { isRequired: true }), fieldOf('width', number)];
const logins = [
  { value: 'key', description: '', fields: [fieldOf('token', { kind: 'text' })] },
  { value: 'login', description: '', fields: [fieldOf('port', number)] },
];

const kinds: Readonly<Record<string, FieldKind>> = {
  body: { kind: 'any' },
  items: { kind: 'json', isList: true },
  url: { kind: 'text' },
  status: number,
  wait: { kind: 'duration', unit: 'seconds' },
  method: { kind: 'choice', options: ['GET', 'PUT'] },
  accept: { kind: 'boolean' },
  headers: { kind: 'map', isText: true },
  names: { kind: 'texts', suggestions: [] },
  prompt: { kind: 'prompt' },
  tags: { kind: 'choices', options: ['a', 'b'] },
  keep: { kind: 'choice-or-count', options: ['all', 'none'], countKey: 'last_n' },
  rules: { kind: 'rules', isRouting: true, isItem: false },
  limit: { kind: 'object', fields: limits },
  columns: { kind: 'objects', fields: columns },
  auth: { kind: 'variants', key: 'by', variants: logins },
};

const credential: NodeField = {
  ...fieldOf('llm_credential_id', { kind: 'credential', type: 'llm' }, { takesExpression: false }),
  ...{ place: 'common', hasExpressions: true },
};

/** The fields of the nodes: each kind, in each of the places of a node. */
export const fields: readonly NodeField[] = [
  labelFieldOf('a'),
  credential,
  ...Object.entries(kinds).map(
    ([key, kind]): NodeField => ({ ...fieldOf(key, kind), place: 'extra', hasExpressions: true }),
  ),
];

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** What a field or a part of it shows, and what is known about it. */
export interface SeenField extends ShownField {
  readonly name: string;
  readonly path: string;
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
  #drawn: unknown = null;
  node = 'a';

  constructor() {
    this.service.listen((changes) => this.#store?.receive(changes));
  }

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

  /** What the open form shows: its fields, and their parts. */
  inputs(): readonly FormInput[] {
    this.#draw();
    const values = this.#values();
    const all = fields.flatMap((field) =>
      inputsOf(field, {
        ...{ path: field.key, value: values[field.key] },
        onChange: (value) => editField(this.#editedForm, field, { value, stored: this.#stored()[field.key] }),
      }),
    );
    const asTexts = all.filter((input) => this.#shown(input).mode === 'expression').map(({ path }) => path);
    const isInText = ({ path }: FormInput) => asTexts.some((outer) => path.startsWith(outer) && isInside(path, outer));
    const isHidden = (input: FormInput): boolean =>
      input.isHiddenIfEmpty === true && input.value === undefined && this.#shown(input).problem === null;
    return all.filter((input) => !isInText(input) && !isHidden(input));
  }

  /** A field of the open form, or a part of one. */
  field(path: string): SeenField {
    return this.#seen(this.#input(path));
  }

  /** All that the open form shows. */
  seen(): readonly SeenField[] {
    return this.inputs().map((input) => this.#seen(input));
  }

  #seen(input: FormInput): SeenField {
    const { path, value } = input;
    const shown = this.#shown(input);
    const held = fields.find(({ key }) => key === path);
    const [lost] = held === undefined ? [] : lostTexts(this.#nodeDrafts, held, value);
    const problem = shown.problem ?? (held && this.#form.heldBecause(pathOf(held))) ?? lost?.path ?? null;
    return { ...shown, problem, name: `${this.node} ${path}`, path, value, stored: valueAt(this.#stored(), path) };
  }

  handle(path: string, event: FieldEvent): void {
    const storedAt = (at: string): unknown => valueAt(this.#stored(), at);
    handleFieldEvent(event, { ...this.#input(path), drafts: this.#nodeDrafts, storedAt });
  }

  /** The texts in a field whose parts were removed are given up. */
  discard(path: string): void {
    const field = fieldNamed(keyOf(path));
    for (const lost of lostTexts(this.#nodeDrafts, field, this.#values()[field.key]))
      discardText(this.#nodeDrafts, lost.path);
  }

  /** A list gets one more item. */
  addItem(path: string, item: unknown): void {
    const { value, onChange } = this.#input(path);
    onChange([...asList(value), item]);
  }

  /** The items of a list get another order, or fewer. */
  arrange(path: string, order: readonly number[]): void {
    const { value, onChange } = this.#input(path);
    this.#nodeDrafts.arrange(path, order);
    onChange(order.length === 0 ? undefined : order.map((place) => asList(value)[place]));
  }

  /** Somebody else stores a value. */
  other(node: string, key: string, value: unknown): void {
    const field = fieldNamed(key);
    const changes = nodeChanges(new Map([[pathOf(field), value]]), fields) as never;
    this.#count += 1;
    const { version } = this.service.graph;
    const operations = [{ op: 'update_node', nodeId: node, changes }] as const;
    this.service.apply({ requestId: `other ${this.#count}`, version, operations });
  }

  /** What the service has of a field. */
  stored(node: string, key: string): unknown {
    const found = findNode(this.service.graph, node);
    return found && valuesOf(found, fields, new Map())[key];
  }

  get conflicts(): readonly Conflict[] {
    return this.#opened.getSnapshot().conflicts;
  }

  /** A person decides about a conflict. */
  decide(conflict: string, isMine: boolean): void {
    if (isMine) this.#opened.attemptAgain(conflict);
    else this.#opened.dismiss(conflict);
  }

  /** A field was left. */
  blur(path: string): void {
    if (this.inputs().some((input) => input.path === path)) this.handle(path, { kind: 'left' });
    this.#form.flush();
  }

  select(node: string): void {
    this.#form.flush();
    this.node = node;
    this.#showForm();
  }

  undo(): void {
    this.#opened.undo();
    restartFields(this.#drafts, this.#opened.getSnapshot().view.graph);
  }

  redo(): void {
    this.#opened.redo();
    restartFields(this.#drafts, this.#opened.getSnapshot().view.graph);
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

  #input(path: string): FormInput {
    const found = this.inputs().find((input) => input.path === path);
    if (found === undefined) throw new Error(`The form does not show ${path}.`);
    return found;
  }

  #shown(input: FormInput): ShownField {
    return shownField(this.#nodeDrafts.draft(input.path), input);
  }

  #values() {
    return valuesOf(this.#shownNode(), fields, this.#form.getShown());
  }

  #stored() {
    return valuesOf(this.#shownNode(), fields, new Map());
  }

  /** The page is drawn after each event; a changed node contains what was sent. */
  #draw(): void {
    const node = this.#shownNode();
    if (node === this.#drawn) return;
    this.#drawn = node;
    this.#form.stored();
  }

  #showForm(): void {
    const { node } = this;
    this.#drawn = this.#shownNode();
    this.#edits = new FormEdits({
      after: (ms, run) => this.#after(ms, run),
      store: (edits) => {
        const form = { fields, stored: this.#stored() };
        const { free, contested } = dividedChanges(edits, this.#nodeDrafts, form);
        const action = ({ changes, paths }: NonNullable<typeof free>) => ({
          ...{ label: 'Change', field: `${node} ${paths.join(' ')}` },
          operations: [{ op: 'update_node', nodeId: node, changes: changes as never }] as const,
        });
        if (free !== null) this.#opened.perform(action(free));
        if (contested !== null) this.#opened.contest(action(contested));
        return contested?.paths ?? [];
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

function isInside(path: string, outer: string): boolean {
  return /^[.[]/.test(path.slice(outer.length));
}
