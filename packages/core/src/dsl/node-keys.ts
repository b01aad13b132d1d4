import type { Component } from '../component/component.ts';
import { configSchemaOf, keysAt } from '../component/config-schema.ts';
import { nodeConfig } from '../component/node-config.ts';
import { isPolicy, policyKeys, retryKeys } from '../component/policies.ts';
import type { CredentialField } from './draft.ts';

/** The meaning of a key of a node. */
export type KeyMeaning =
  | { readonly kind: 'structure' }
  /** A key of `extra_config`. */
  | { readonly kind: 'own' }
  /** A key that is part of every config. */
  | { readonly kind: 'common'; readonly name: string }
  | { readonly kind: 'credential'; readonly field: CredentialField }
  /** One of the keys below `policies`. */
  | { readonly kind: 'policy' }
  | { readonly kind: 'unknown' };

/** The keys of a node that are not part of its config, in the order of the canonical text. */
export const structureKeys: readonly string[] = [
  'id',
  'type',
  'label',
  'is_entry_point',
  'interrupt_before',
  'interrupt_after',
  'subworkflow',
  'code_block_id',
  'config',
  'extra_config',
  'policies',
];

const structure: ReadonlySet<string> = new Set(structureKeys);
const credentialFields: ReadonlySet<string> = new Set<CredentialField>(['credential_id', 'llm_credential_id']);
/** The `llm` edges of a node determine its model. */
const derived: ReadonlySet<string> = new Set(['extra_config', 'llm_model_config_id']);
/** The common config keys that a text may contain, in the order of the canonical text. */
export const commonKeys: readonly string[] = Object.keys(nodeConfig.shape).filter((key) => !derived.has(key));
const common: ReadonlySet<string> = new Set(commonKeys);

/** The keys of one component's nodes. Reader and printer both use this class, so they cannot disagree. */
export class NodeKeys {
  /** Its own config keys, in the order of its schema. */
  readonly own: readonly string[];
  readonly #own: ReadonlySet<string>;
  readonly #takesAny: boolean;
  readonly #component: Component<never> | undefined;
  readonly #credential: CredentialField;

  /** Without a component, that is for an unknown type, every other key belongs to the config. */
  constructor(component: Component<never> | undefined) {
    const schema = component === undefined ? {} : configSchemaOf(component);
    this.#component = component;
    const isOwn = (key: string) => !this.isPolicy(key);
    this.own = component === undefined ? [] : [...new Set(keysAt(schema, []))].filter(isOwn);
    this.#own = new Set(this.own);
    this.#takesAny = component === undefined || schema.additionalProperties !== false;
    this.#credential = component?.category === 'Models' ? 'llm_credential_id' : 'credential_id';
  }

  meaningOf(key: string): KeyMeaning {
    if (structure.has(key)) return { kind: 'structure' };
    if (this.#own.has(key)) return { kind: 'own' };
    if (key === 'prompt') return { kind: 'common', name: 'system_prompt' };
    if (key === 'credential') return { kind: 'credential', field: this.#credential };
    if (common.has(key)) return commonMeaning(key);
    if (this.isPolicy(key)) return { kind: 'policy' };
    return { kind: this.#takesAny && !derived.has(key) ? 'own' : 'unknown' };
  }

  /** Whether a key of `extra_config` is a policy, which only steps have. */
  isPolicy(key: string): boolean {
    return this.#component !== undefined && isPolicy(key, this.#component);
  }

  /** The key at the level of `id` and `type` for a common key; null if the component uses that name for its own key. */
  wordFor(name: string): string | null {
    const words =
      name === 'system_prompt' ? ['prompt', name] : credentialFields.has(name) ? ['credential', name] : [name];
    return words.find((word) => meansCommon(this.meaningOf(word), name)) ?? null;
  }

  /**
   * Where a key belongs that is unknown at its place: at the level of `id` and `type`, or in a block. Empty if it is not
   * known anywhere.
   */
  placeOf(key: string, block: 'config' | 'policies' | null): string {
    const { kind } = this.meaningOf(key);
    if (derived.has(key) && key !== 'extra_config') return "An edge labelled 'llm' sets it.";
    if (kind === 'policy') return "It belongs under 'policies'.";
    if (block !== null && kind !== 'unknown') return `Move it out of '${block}', to the level above.`;
    if (this.#component === undefined) return '';
    if (policyKeys.includes(key)) return `Only steps have policies, and '${this.#component.type}' never runs.`;
    return retryKeys.includes(key) && this.#component.run !== undefined
      ? "Move it into 'retry', under 'policies'."
      : '';
  }

  /** All keys allowed at the level of `id` and `type`, for suggestions. */
  words(): readonly string[] {
    return [...this.own, ...commonKeys, ...structureKeys, 'prompt', 'credential'];
  }
}

/** The meaning of a key below `config`, which may contain only common keys. */
export function commonMeaning(key: string): KeyMeaning {
  if (credentialFields.has(key)) return { kind: 'credential', field: key as CredentialField };
  return common.has(key) ? { kind: 'common', name: key } : { kind: 'unknown' };
}

function meansCommon(meaning: KeyMeaning, name: string): boolean {
  if (meaning.kind === 'common') return meaning.name === name;
  return meaning.kind === 'credential' && meaning.field === name;
}
