import { botTriggerType } from '../chat-bot/incoming-message.ts';
import { type Component, isTrigger } from '../component/component.ts';
import { splitExtraConfig, takesModel } from '../component/config-check.ts';
import type { CredentialType } from '../component/credential.ts';
import { type NodeConfig, readNodeConfig } from '../component/node-config.ts';
import type { Node } from '../graph/graph.ts';
import { scheduleType, timingOf } from '../graph/schedule.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';
import { type GraphWorld, missingCredential } from './graph-world.ts';

/** The maximum of any provider; some accept less. */
const ranges = {
  temperature: [0, 2],
  top_p: [0, 1],
  frequency_penalty: [-2, 2],
  presence_penalty: [-2, 2],
} as const satisfies Partial<Record<keyof NodeConfig, readonly [number, number]>>;

/**
 * Characters of patterns and schemas that one check of a graph compiles: many times more than an ordinary workflow has,
 * and few enough that a hostile one does not delay the response.
 */
const compiledLength = { pattern: 2_000, schema: 32_768 };

/** Different timings that one check of a graph evaluates: finding a date that is years away takes a millisecond. */
const maxTimetables = 10;
/** The maximum number of those timings that have no date: each takes about 15 ms, because many years are searched. */
const maxFruitless = 3;

/** Checks settings of nodes that only external data or a provider can validate. One instance checks one graph. */
export class SettingsCheck {
  readonly #world: GraphWorld;
  readonly #left = { ...compiledLength };
  /** The result for each timing. */
  readonly #timetables = new Map<string, string | null>();
  #fruitless = 0;

  constructor(world: GraphWorld) {
    this.#world = world;
  }

  /** The settings of a node whose config matches its schema. */
  check(node: Node, component: Component<never>): readonly GraphIssue[] {
    const { nodeId, componentType, config } = node;
    const common = readNodeConfig(config);
    if (!common.success) return [];
    const { own } = splitExtraConfig(common.data.extra_config, component);
    return [
      ...lacking(nodeId, own, component),
      ...(componentType === scheduleType ? this.#schedule(node) : []),
      ...this.#credentials(nodeId, common.data, component),
      ...sampling(nodeId, common.data, component),
      ...this.#compiled(nodeId, own, component),
      ...faulty(nodeId, own, component),
    ];
  }

  #credentials(nodeId: string, common: NodeConfig, component: Component<never>): readonly GraphIssue[] {
    const { llm_credential_id: llm, credential_id: other } = common;
    const { type = null } = component.credential ?? {};
    const isMissing = type === 'chat_bot' && other === null;
    return [
      ...(isMissing ? [withoutCredential(nodeId, type)] : []),
      ...this.#unusable(nodeId, 'llm_credential_id', { id: llm, wanted: 'llm', own: () => null }),
      ...this.#unusable(nodeId, 'credential_id', {
        id: other,
        wanted: type,
        own: (id) => this.#ownIssue(id, common, component),
      }),
    ];
  }

  #unusable(
    nodeId: string,
    key: 'llm_credential_id' | 'credential_id',
    { id, wanted, own }: { id: number | null; wanted: CredentialType | null; own: (id: number) => string | null },
  ): readonly GraphIssue[] {
    if (id === null) return [];
    const outer = this.#world.credentialIssue(id, wanted);
    const issue = outer ?? own(id);
    if (issue === null) return [];
    const remedy = outer === null ? `fix it, or set another ${key}` : `set its ${key}`;
    const message = `Node '${nodeId}' names credential ${id}, which ${issue}: ${remedy}`;
    const code = outer === missingCredential ? 'credential_missing' : 'unusable_credential';
    // A warning, because the other steps of the run work without this one.
    return [issueAt({ code, severity: 'warning', nodeId, path: [key], message })];
  }

  #ownIssue(id: number, { extra_config: config }: NodeConfig, component: Component<never>): string | null {
    const { credential } = component;
    if (credential?.type === 'tool') return this.#world.toolIssue(id, credential.knownIn(config));
    return credential?.type === 'chat_bot' && isTrigger(component) ? this.#world.botIssue(id) : null;
  }

  #schedule(node: Node): readonly GraphIssue[] {
    const { nodeId } = node;
    const timing = timingOf(node);
    // An inactive trigger never fires.
    if (timing === null || Object.hasOwn(timing, 'interval_seconds')) return [];
    if (!Object.hasOwn(timing, 'cron')) {
      const message = `Node '${nodeId}' has no times at which it fires: set its cron or its interval_seconds`;
      // A warning, because it may be started manually.
      return [{ code: 'missing_setting', severity: 'warning', nodeId, message }];
    }
    const issue = this.#timetableIssue(timing);
    if (issue === null) return [];
    const path = ['extra_config', 'cron'];
    const message = `Node '${nodeId}', ${path.join('.')}: ${issue}`;
    return [issueAt({ code: 'never_fires', severity: 'error', nodeId, path, message })];
  }

  #timetableIssue(timing: JsonObject): string | null {
    const key = JSON.stringify(timing);
    const known = this.#timetables.get(key);
    if (known !== undefined) return known;
    if (this.#timetables.size >= maxTimetables || this.#fruitless >= maxFruitless) return null;
    const issue = this.#world.scheduleIssue(timing);
    this.#timetables.set(key, issue);
    if (issue !== null) this.#fruitless += 1;
    return issue;
  }

  /** The patterns and schemas that a run would compile. */
  #compiled(nodeId: string, own: JsonObject, { type }: Component<never>): readonly GraphIssue[] {
    const places = type === 'output_parser' || type === botTriggerType ? parserPlaces(own) : rulePlaces(own);
    return places.flatMap(({ kind, path, value }) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (text.length > this.#left[kind]) return [];
      this.#left[kind] -= text.length;
      const issue = kind === 'pattern' ? this.#world.patternIssue(text) : this.#world.schemaIssue(value);
      const message = `Node '${nodeId}', ${['extra_config', ...path].join('.')}: ${issue}`;
      return issue === null
        ? []
        : [issueAt({ code: 'bad_setting', severity: 'error', nodeId, path: ['extra_config', ...path], message })];
    });
  }
}

/** A warning, because the other steps of the run work without this one. */
function withoutCredential(nodeId: string, type: CredentialType): GraphIssue {
  const message = `Node '${nodeId}' has no credential: set its credential_id to one of the type '${type}'`;
  return issueAt({ code: 'missing_setting', severity: 'warning', nodeId, path: ['credential_id'], message });
}

function lacking(nodeId: string, own: JsonObject, { lacks, needs = [] }: Component<never>): readonly GraphIssue[] {
  const code = 'missing_setting';
  const words = lacks?.(own) ?? null;
  const whole: GraphIssue[] =
    words === null ? [] : [{ code, severity: 'error', nodeId, message: `Node '${nodeId}' ${words}` }];
  const missing = needs.filter((key) => !Object.hasOwn(own, key));
  return [
    ...whole,
    ...missing.map((key): GraphIssue => {
      const message = `Node '${nodeId}' has no '${key}', without which it cannot run: set its ${key}`;
      return { code, severity: 'error', nodeId, field: `extra_config.${key}`, message };
    }),
  ];
}

function faulty(nodeId: string, own: JsonObject, { issues }: Component<never>): readonly GraphIssue[] {
  return (issues?.(own) ?? []).map(({ path, message, ...issue }) => {
    const place = ['extra_config', ...path];
    const words = `Node '${nodeId}', ${place.join('.')}: ${message}`;
    return issueAt({ code: 'bad_setting', nodeId, path: place, message: words, ...issue });
  });
}

function sampling(nodeId: string, common: NodeConfig, component: Component<never>): readonly GraphIssue[] {
  if (!takesModel(component) && !component.outputs.some(({ dataType }) => dataType === 'llm')) return [];
  return Object.entries(ranges).flatMap(([key, [least, most]]) => {
    const value = common[key as keyof typeof ranges];
    if (value === null || (value >= least && value <= most)) return [];
    const message = `Node '${nodeId}', ${key}: must be from ${least} to ${most}`;
    // A warning, because the provider decides.
    return [issueAt({ code: 'bad_setting', severity: 'warning', nodeId, path: [key], message })];
  });
}

interface Place {
  readonly kind: 'pattern' | 'schema';
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

function parserPlaces({ pattern, schema }: JsonObject): readonly Place[] {
  return [
    ...(typeof pattern === 'string' ? [{ kind: 'pattern', path: ['pattern'], value: pattern } as const] : []),
    ...(isObject(schema) ? [{ kind: 'schema', path: ['schema'], value: schema } as const] : []),
  ];
}

/** Patterns of rules, if they are static. */
function rulePlaces({ rules }: JsonObject): readonly Place[] {
  if (!isArray(rules)) return [];
  return rules.flatMap((rule, index): readonly Place[] => {
    if (!isObject(rule) || !String(rule.operator).endsWith('matches_regex')) return [];
    const { value } = rule;
    if (typeof value !== 'string' || value.includes('{{')) return [];
    return [{ kind: 'pattern', path: ['rules', index, 'value'], value }];
  });
}

function issueAt(issue: GraphIssue & { path: readonly (string | number)[] }): GraphIssue {
  return { ...issue, field: issue.path.join('.') };
}
