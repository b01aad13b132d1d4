import { z } from 'zod';
import type { Catalogue } from '../component/component.ts';
import { policyKeys } from '../component/policies.ts';
import { setOwn } from '../expression/set-own.ts';
import { nodeFields } from '../graph/graph-fields.ts';
import type { Json } from '../json.ts';
import type { CredentialField, DraftNode, Mention } from './draft.ts';
import { commonKeys, commonMeaning, type KeyMeaning, NodeKeys } from './node-keys.ts';
import type { Reader } from './reader.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

// Created once: creating a schema costs more than using it.
const anyText = z.string();
const anyName = z.string().min(1).nullable();

/** A config under construction. */
class ConfigDraft {
  readonly common: Record<string, Json> = {};
  readonly extra: Record<string, Json> = {};
  readonly credentials = new Map<CredentialField, Mention>();
  readonly origins = new Map<string, YamlPath>();
}

/** Reads the nodes of a text. The component of a node determines the meaning of its keys. */
export class NodeReader {
  readonly #reader: Reader;
  readonly #catalogue: Catalogue;
  readonly #keys = new Map<string, NodeKeys>();

  constructor(reader: Reader, catalogue: Catalogue) {
    this.#reader = reader;
    this.#catalogue = catalogue;
  }

  /** The node at a path; null, with issues, if it has no name or no type. */
  read(path: YamlPath): DraftNode | null {
    const reader = this.#reader;
    const keys = reader.keysAt(path, 'A node');
    if (keys === null) return null;
    const nodeId = this.required([...path, 'id'], nodeFields.node_id);
    const componentType = this.required([...path, 'type'], anyText);
    if (nodeId === null || componentType === null) return null;
    return this.readAs(path, { nodeId, componentType, keys });
  }

  /** The node at a path, with a name and type that are already known. */
  readAs(
    path: YamlPath,
    given: { readonly nodeId: string; readonly componentType: string; readonly keys: readonly string[] },
  ): DraftNode {
    const { nodeId, componentType } = given;
    const config = new ConfigDraft();
    const known = this.#keysOf(componentType);
    for (const key of given.keys) this.#readKey({ path: [...path, key], config, known, meaning: known.meaningOf(key) });
    const read = <T>(key: string, schema: z.ZodType<T>, fallback: T) =>
      this.#reader.read([...path, key], schema, fallback);
    return {
      nodeId,
      componentType,
      label: read('label', nodeFields.label, null),
      isEntryPoint: read('is_entry_point', nodeFields.is_entry_point, false),
      interruptBefore: read('interrupt_before', nodeFields.interrupt_before, false),
      interruptAfter: read('interrupt_after', nodeFields.interrupt_after, false),
      codeBlockId: read('code_block_id', nodeFields.reference, null),
      subworkflow: this.#mention([...path, 'subworkflow']),
      credentials: config.credentials,
      config: { ...config.common, extra_config: config.extra },
      path,
      origins: config.origins,
    };
  }

  /** The value at a path; null, with an issue, if it is missing or the schema rejects it. */
  required<T>(path: YamlPath, schema: z.ZodType<T>): T | null {
    const key = path.at(-1);
    if (this.#reader.nodeAt(path) === undefined) {
      this.#reader.report({ code: 'field', message: `'${key}' is missing here.` }, path);
      return null;
    }
    return this.#reader.read<T | null>(path, schema, null);
  }

  #readKey(params: {
    readonly path: YamlPath;
    readonly config: ConfigDraft;
    readonly known: NodeKeys;
    readonly meaning: KeyMeaning;
  }): void {
    const { path, config, known, meaning } = params;
    const key = String(path.at(-1));
    switch (meaning.kind) {
      case 'structure':
        if (key === 'config')
          this.#readBlock(path, (inner) => this.#readCommon(inner, { config, known, meaningOf: commonMeaning }));
        if (key === 'extra_config') this.#readBlock(path, (inner) => this.#setExtra(inner, config));
        if (key === 'policies') this.#readBlock(path, (inner) => this.#readPolicy(inner, config, known));
        return;
      case 'own':
        this.#setExtra(path, config);
        return;
      case 'policy':
      case 'unknown':
        this.#reader.reportUnknown(path, known.words(), known.placeOf(key, null));
        return;
      default:
        this.#readCommon(path, { config, known, meaningOf: (word) => known.meaningOf(word) });
    }
  }

  #readBlock(path: YamlPath, readKey: (path: YamlPath) => void): void {
    for (const key of this.#reader.keysAt(path, `'${path.at(-1)}'`) ?? []) readKey([...path, key]);
  }

  #readCommon(
    path: YamlPath,
    { config, known, meaningOf }: { config: ConfigDraft; known: NodeKeys; meaningOf: (key: string) => KeyMeaning },
  ): void {
    const key = String(path.at(-1));
    const meaning = meaningOf(key);
    if (meaning.kind !== 'common' && meaning.kind !== 'credential') {
      this.#reader.reportUnknown(path, commonKeys, known.placeOf(key, 'config'));
      return;
    }
    const name = meaning.kind === 'common' ? meaning.name : meaning.field;
    if (config.origins.has(name)) {
      this.#reader.reportKey({ code: 'duplicate', message: `'${name}' occurs twice, under two names.` }, path);
      return;
    }
    config.origins.set(name, path);
    if (meaning.kind === 'common') config.common[name] = this.#reader.jsonAt(path) ?? null;
    else {
      const mention = this.#mention(path);
      if (mention !== null) config.credentials.set(meaning.field, mention);
    }
  }

  #setExtra(path: YamlPath, config: ConfigDraft): void {
    const key = String(path.at(-1));
    const origin = `extra_config.${key}`;
    if (config.origins.has(origin))
      this.#reader.reportKey({ code: 'duplicate', message: `'${key}' occurs twice.` }, path);
    config.origins.set(origin, path);
    setOwn(config.extra, key, this.#reader.jsonAt(path) ?? null);
  }

  #readPolicy(path: YamlPath, config: ConfigDraft, known: NodeKeys): void {
    if (known.isPolicy(String(path.at(-1)))) this.#setExtra(path, config);
    else this.#reader.reportUnknown(path, policyKeys, known.placeOf(String(path.at(-1)), 'policies'));
  }

  #mention(path: YamlPath): Mention | null {
    const name = this.#reader.read(path, anyName, null);
    return name === null ? null : { name, path };
  }

  #keysOf(type: string): NodeKeys {
    const known = this.#keys.get(type) ?? new NodeKeys(this.#catalogue.get(type));
    this.#keys.set(type, known);
    return known;
  }
}
