import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Component,
  categories,
  checkConfig,
  commonSchemaOf,
  compileConfig,
  configSchemaOf,
  errorTable,
  type InputPort,
  isArray,
  type Json,
  type JsonObject,
  readDsl,
  widgets,
} from '@millrace/core';
import { isSubComponentType } from '@millrace/core/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as listed from './catalogue.ts';
import { catalogue } from './index.ts';
import { perform } from './step.testkit.ts';

/** Files of these folders that are not components, and why. */
const others = new Set([
  'catalogue.ts' /* the list */,
  'index.ts' /* the entry point of the package */,
  'call-platform.ts' /* how platform tools call the service */,
]);
/** The folders that contain components, with their files. */
const folders = ['', 'platform/'].map((folder) => ({
  folder,
  files: readdirSync(join(import.meta.dirname, folder)).filter(
    (file) => /(?<!\.test|\.testkit)\.ts$/.test(file) && !others.has(file),
  ),
}));
const files = folders.flatMap(({ files }) => files);

const entries = Object.values(listed).map((component): [string, Component<never>] => [component.type, component]);

/** The JSON Schemas of all keys, including those of nested objects, with their paths. */
function fieldsOf(schema: JsonObject, path = ''): [string, JsonObject][] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const here = properties.flatMap(([key, field]): [string, JsonObject][] => [
    [`${path}${key}`, field],
    ...fieldsOf(field, `${path}${key}.`),
  ]);
  const items = schema.items === undefined ? [] : fieldsOf(schema.items as JsonObject, path);
  const variants = [schema.anyOf, schema.oneOf]
    .flatMap((list) => (isArray(list) ? list : []))
    .flatMap((variant) => fieldsOf(variant as JsonObject, path));
  return [...here, ...items, ...variants];
}

function jsonSchema(component: Component<never>): JsonObject {
  return z.toJSONSchema(component.config) as JsonObject;
}

/** The first JSON example of the docs. */
function exampleOf(component: Component<never>): JsonObject | undefined {
  const block = /```json\n([\s\S]*?)```/.exec(component.description)?.[1];
  return block === undefined ? undefined : JSON.parse(block);
}

const fileOf = (type: string) => `${type.replaceAll('_', '-')}.ts`;
const folderOf = (file: string) => folders.find(({ files }) => files.includes(file))?.folder ?? '';

it('lists every component of the folder', () => {
  expect(entries.map(([type]) => fileOf(type)).sort()).toEqual(files.sort());
});

it('has no duplicate type', () => {
  expect(catalogue.size).toBe(entries.length);
  for (const [type, component] of entries) expect(catalogue.get(type)).toBe(component);
});

it("is a Map, so the name of an object's prototype property is not a component", () => {
  expect(catalogue.get('constructor')).toBeUndefined();
  expect(catalogue.get('__proto__')).toBeUndefined();
});

describe.each(entries)('%s', (type, component) => {
  it('has a name and a valid colour, icon and category', () => {
    expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(component.label).not.toBe('');
    expect(component.color).toMatch(/^#[0-9a-f]{6}$/);
    expect(component.icon).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(categories).toContain(component.category);
    expect(component.version).toBeGreaterThanOrEqual(1);
  });

  it('has a sentence for every port, and no duplicate port', () => {
    const sides: (readonly Pick<InputPort, 'name' | 'description' | 'dataType'>[])[] = [
      component.inputs,
      component.outputs,
      component.subInputs,
    ];
    for (const ports of sides) {
      expect(new Set(ports.map((port) => port.name)).size).toBe(ports.length);
      for (const port of ports) expect(port.description, port.name).toMatch(/^[A-Z].*\.$/);
    }
    for (const port of component.inputs) expect(isSubComponentType(port.dataType)).toBe(false);
    for (const port of component.subInputs) expect(isSubComponentType(port.dataType)).toBe(true);
  });

  it('declares which of its keys supply its input', () => {
    const fields = Object.entries((jsonSchema(component).properties ?? {}) as Record<string, JsonObject>);
    const [first, ...others] = component.inputs;
    const keys = first?.suppliedBy ?? [];
    expect(fields.map(([key]) => key)).toEqual(expect.arrayContaining([...keys]));
    for (const [key, { description }] of fields) {
      if (key === first?.name || /Default: (the input|what comes from)/.test(String(description)))
        expect(keys).toContain(key);
    }
    for (const port of others) expect(port.suppliedBy).toBeUndefined();
    if (first?.isTextOnly === true) expect(first.dataType).toBe('text');
  });

  it('has a sentence for every config field', () => {
    for (const [path, field] of fieldsOf(jsonSchema(component))) {
      expect(field.description, path).toMatch(/^[A-Z].*[.`]$/s);
    }
  });

  it('accepts an empty config when nothing is required, and rejects an unknown key', () => {
    const { required = [] } = jsonSchema(component);
    expect(component.config.safeParse({}).success).toBe(isArray(required) && required.length === 0);
    expect(component.config.safeParse({ ...exampleOf(component), unheard_of: 1 }).success).toBe(false);
    expect(jsonSchema(component).additionalProperties).toBe(false);
  });

  it('describes valid values when it is given another kind of value', () => {
    for (const key of Object.keys(configSchemaOf(component).properties as JsonObject)) {
      for (const value of [null, true, -0.5, 'x', [[]], { unheard: { of: 1 } }]) {
        for (const { path, message } of checkConfig(
          { extra_config: { ...exampleOf(component), [key]: value } },
          component,
        )) {
          expect(message, `${path.join('.')} given ${JSON.stringify(value)}`).not.toMatch(/Invalid|expected/);
        }
      }
    }
  });

  it('fails when a needed key is missing, which may be added after the node is stored', async () => {
    for (const key of component.needs ?? []) {
      const { [key]: _missing, ...rest } = exampleOf(component) ?? {};
      expect(component.config.safeParse(rest).success).toBe(true);
      await expect(perform(component, { config: rest })).rejects.toMatchObject({ code: 'config' });
    }
  });

  it('declares only keys of its config as bare or verbatim', () => {
    const keys = fieldsOf(jsonSchema(component)).map(([path]) => path);
    const named = [...(component.bareExpressions ?? []), ...(component.verbatim ?? [])];
    for (const path of named) expect(keys).toContain(path.replaceAll('.*', ''));
  });

  it('has an example that its config accepts and whose expressions can be parsed', () => {
    const example = exampleOf(component);
    expect(example !== undefined || fieldsOf(jsonSchema(component)).length === 0).toBe(true);
    if (example === undefined) return;
    expect(checkConfig({ extra_config: example }, component)).toEqual([]);
    expect(() => compileConfig(example, component)).not.toThrow();
  });

  it('has a description in Markdown without HTML', () => {
    expect(component.description.length).toBeGreaterThan(100);
    expect(component.description).not.toMatch(/<[a-z/!]/i);
  });
});

describe.each(entries)('the page of %s', (type, component) => {
  it('has an example of every key that the key accepts, and a default that it accepts', () => {
    const fields = (component.config as unknown as z.ZodObject).shape;
    for (const [key, schema] of Object.entries(jsonSchema(component).properties ?? {})) {
      const { examples, default: usual } = schema as JsonObject;
      expect(examples ?? [], key).not.toEqual([]);
      const shown = [...(examples as Json[]), ...(usual === undefined ? [] : [usual])];
      for (const value of shown) {
        expect(
          (fields[key] as z.ZodType).safeParse(value).error?.issues,
          `${key}: ${JSON.stringify(value)}`,
        ).toBeUndefined();
      }
    }
  });

  it('states a default once: in the schema if it is a value, otherwise in the description', () => {
    for (const [key, schema] of Object.entries(jsonSchema(component).properties ?? {})) {
      const { description, default: usual } = schema as JsonObject;
      if (usual !== undefined) expect(description, key).not.toMatch(/Default:/);
    }
  });

  it('lists the errors of its step once each, in alphabetical order', () => {
    const { errors = [], run, call } = component;
    expect(errors).toEqual([...new Set(errors)].sort());
    for (const code of errors) expect(['step', 'unavailable'], code).toContain(errorTable[code].kind);
    if (run === undefined && call === undefined) expect(errors).toEqual([]);
  });

  it('lists every error code that its file throws', () => {
    const source = readFileSync(new URL(folderOf(fileOf(type)) + fileOf(type), import.meta.url), 'utf8');
    const thrown = [...source.matchAll(/new StepError\(\s*'(\w+)'/g)].map(([, code]) => code);
    expect(component.errors ?? []).toEqual(expect.arrayContaining(thrown));
  });

  it('has an example workflow that contains the node, with tests', () => {
    const { workflow = '', tests } = component.example ?? {};
    const { parts, issues } = readDsl(workflow, catalogue);
    expect(issues).toEqual([]);
    expect(parts?.draft.nodes.map((node) => node.componentType)).toContain(type);
    expect(tests).toMatch(/^tests:\n {2}- name: /m);
  });
});

/** The keys of a schema that have a hint for editors, with it. */
function hintsOf(schema: JsonObject): [string, JsonObject, JsonObject][] {
  return fieldsOf(schema).flatMap(([path, field]) =>
    field.ui === undefined ? [] : [[path, field, field.ui as JsonObject] as [string, JsonObject, JsonObject]],
  );
}

describe.each(entries)('the hints for editors of %s', (_type, component) => {
  const schemas = [configSchemaOf(component), commonSchemaOf(component)];

  it('name existing widgets, and keys and values that their object has', () => {
    for (const schema of schemas) {
      for (const [path, , hint] of hintsOf(schema)) {
        const { widget, when = {}, unit, advanced, ...others } = hint;
        expect([undefined, ...widgets], path).toContain(widget);
        expect(others, path).toEqual({});
        expect(typeof (unit ?? ''), path).toBe('string');
        expect(typeof (advanced ?? true), path).toBe('boolean');
        for (const [key, values] of Object.entries(when as JsonObject)) {
          const allowed = JSON.stringify((schema.properties as JsonObject)[key]);
          for (const value of values as Json[]) expect(allowed, `${path} when ${key}`).toContain(JSON.stringify(value));
        }
      }
    }
  });

  it('give each duration a unit of time', () => {
    for (const [path, , { widget, unit }] of schemas.flatMap(hintsOf)) {
      if (widget === 'duration') expect(['seconds', 'milliseconds'], path).toContain(unit);
    }
  });

  it('give a widget of its own to each text in which expressions are not evaluated', () => {
    const hinted = new Map(hintsOf(configSchemaOf(component)).map(([path, , { widget }]) => [path, widget]));
    const texts = fieldsOf(configSchemaOf(component)).filter(([, { type }]) => type === 'string');
    for (const [path] of texts.filter(([path]) => component.verbatim?.includes(path) === true)) {
      expect(hinted.get(path), path).toBeDefined();
    }
    for (const path of component.bareExpressions ?? []) expect(hinted.get(path), path).toBe('expression');
  });
});
