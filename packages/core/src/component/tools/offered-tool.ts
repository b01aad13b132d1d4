import { isObject, type JsonObject } from '../../json.ts';
import type { Component } from '../component.ts';
import { configSchemaOf } from '../config-schema.ts';
import type { ListedTool, Tool, ToolDescription, ToolOffer } from './tool.ts';
import type { ToolSettings } from './tool-settings.ts';

/** A node that offers a tool. */
export interface OfferingNode {
  readonly nodeId: string;
  readonly component: Component<never>;
  /** Its own part of `extra_config`, as it is stored. */
  readonly config: JsonObject;
  readonly settings: ToolSettings;
  /** What its type found out about it. */
  readonly described?: ToolDescription;
}

/** The tool that a node offers; null for a node that is none. */
export function toolOf({ nodeId, component, config, settings, described = {} }: OfferingNode): Tool | null {
  const { tool: offer, effect } = component;
  if (offer === undefined) return null;
  return {
    name: settings.name ?? nodeId.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64),
    description: settings.description ?? described.description ?? offer.description,
    parameters: closed(settings.parameters ?? described.parameters ?? openParameters(component, offer, config)),
    to: nodeId,
    effect: offer.effectOf?.(config) ?? effect,
    ...(offer.acts?.(config) === true && { acts: true }),
    asks: settings.asks ?? false,
    isUntrusted: settings.untrusted ?? offer.isUntrusted ?? false,
    port: portOf(component),
  };
}

/** One of the tools that a node offers. */
export function listedTool(
  { nodeId, component, settings }: Pick<OfferingNode, 'nodeId' | 'component' | 'settings'>,
  { name, description, parameters, target, effect }: ListedTool,
): Tool {
  return {
    name,
    description,
    parameters,
    to: nodeId,
    target,
    effect,
    asks: settings.asks ?? false,
    isUntrusted: settings.untrusted ?? component.tool?.isUntrusted ?? false,
    port: portOf(component),
  };
}

function portOf({ tool: offer, outputs }: Component<never>): string {
  return offer?.port ?? outputs[0]?.name ?? 'result';
}

/** The keys that a config leaves open to the model. */
function openKeys(offer: ToolOffer, config: JsonObject): readonly string[] {
  const { fills } = offer.fillsWith?.(config) ?? offer;
  return fills.filter((key) => !Object.hasOwn(config, key));
}

function openParameters(component: Component<never>, offer: ToolOffer, config: JsonObject): JsonObject {
  const { properties, $defs } = configSchemaOf(component);
  const known = isObject(properties) ? properties : {};
  const open = openKeys(offer, config).filter((key) => Object.hasOwn(known, key));
  const { requires = [] } = offer.fillsWith?.(config) ?? offer;
  const required = requires.filter((key) => open.includes(key));
  return {
    type: 'object',
    properties: Object.fromEntries(open.map((key) => [key, forModel(known[key])])),
    required,
    ...($defs !== undefined && usesDefs(open.map((key) => known[key])) && { $defs }),
  };
}

function usesDefs(schemas: readonly unknown[]): boolean {
  return JSON.stringify(schemas).includes('"$ref"');
}

/** Without what only editors read. */
function forModel(schema: JsonObject[string] | undefined): JsonObject {
  if (!isObject(schema)) return {};
  const { ui: _ui, examples: _examples, ...rest } = schema;
  return rest;
}

/** A model sends no argument that is not described. */
function closed(schema: JsonObject): JsonObject {
  return { type: 'object', properties: {}, ...schema, additionalProperties: false };
}

/** The config of a call: what is set in the node stays, and the model fills what is open. */
export function filledConfig(
  { component, config, settings }: Pick<OfferingNode, 'component' | 'config' | 'settings'>,
  args: JsonObject,
): JsonObject {
  const { tool: offer } = component;
  if (offer === undefined || settings.parameters !== undefined) return config;
  const open = openKeys(offer, config).filter((key) => Object.hasOwn(args, key));
  return { ...config, ...Object.fromEntries(open.map((key) => [key, args[key] ?? null])) };
}

/** Where the first expression of a text begins that may read the arguments of a call; null if there is none. */
export function argumentsBeginAt(text: string): number | null {
  for (const { 0: expression, index } of text.matchAll(/\{\{.*?\}\}/gs)) {
    if (/\bargs\b/.test(expression)) return index;
  }
  return null;
}
