import {
  type FieldIssue,
  isKnown,
  type Json,
  type JsonObject,
  jsonSize,
  type PartlyKnown,
  Problem,
  type Workflow,
} from '@millrace/core';
import { WeighedCache } from '../../ground/weighed-cache.ts';
import { type CompiledSchema, compileSchema, SchemaError, type SchemaIssue, tooMuchWork } from './json-schema.ts';
import { compilePartly } from './partial-schema.ts';

/** A violation of a workflow's `input_schema` by a payload: a field issue with the JSON Pointer of the value. */
interface PayloadIssue extends FieldIssue {
  readonly pointer: string;
}

/** The parts of a workflow that its schema depends on. */
export type WithInputSchema = Pick<Workflow, 'id' | 'updatedAt' | 'inputSchema'>;

/** Checks payloads against the `input_schema` of their workflow. */
export interface InputSchemas {
  /**
   * @param place the position of the payload in the request, for the issue's `loc`
   * @throws Problem `invalid` with one issue, or with a sentence if the stored schema itself cannot be used
   */
  check(workflow: WithInputSchema, payload: Json, place: readonly string[]): void;
  /**
   * The issue that `check` will find whatever values the unknown parts of a payload get; null if there is none, or if
   * it is not found within so many steps.
   */
  issueIn(workflow: WithInputSchema, payload: PartlyKnown, steps: number): SchemaIssue | null;
}

interface Compiled {
  readonly updatedAt: number;
  readonly find: CompiledSchema;
  /** The same for payloads with unknown parts, compiled on demand. */
  findPartly?: CompiledSchema<PartlyKnown>;
}

/** Estimated memory for compiled schemas; beyond it the least recently used one is dropped. */
const maxSchemaCacheBytes = 32 * 1024 * 1024;
/** A compiled schema has a function and a few objects for each keyword. */
const bytesPerCharacter = 40;

/** Returns why a schema cannot be used as `input_schema` or `output_schema`; null if it can. */
export function checkSchema(schema: Json): string | null {
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

/** The schema of a workflow is compiled once, and again after the workflow changed. */
export function createInputSchemas(): InputSchemas {
  const cache = new WeighedCache<number, Compiled>(maxSchemaCacheBytes);

  function compiled(workflow: Pick<Workflow, 'id' | 'updatedAt'>, schema: Json): Compiled {
    const known = cache.get(workflow.id);
    if (known?.updatedAt === workflow.updatedAt) return known;
    const made = { updatedAt: workflow.updatedAt, find: compileStored(schema) };
    cache.set(workflow.id, made, jsonSize(schema, Number.POSITIVE_INFINITY) * bytesPerCharacter);
    return made;
  }

  function compiledPartly(
    workflow: Pick<Workflow, 'id' | 'updatedAt'>,
    schema: JsonObject,
  ): CompiledSchema<PartlyKnown> {
    const known = compiled(workflow, schema);
    known.findPartly ??= compilePartly(schema);
    return known.findPartly;
  }

  return {
    check(workflow, payload, place) {
      if (workflow.inputSchema === null) return;
      const issue = compiled(workflow, workflow.inputSchema).find(payload);
      if (issue !== null) throw new Problem('invalid', [presented(issue, place)]);
    },
    issueIn(workflow, payload, steps) {
      const { inputSchema } = workflow;
      if (inputSchema === null) return null;
      const issue = isKnown(payload)
        ? compiled(workflow, inputSchema).find(payload, { steps })
        : compiledPartly(workflow, inputSchema)(payload, { steps });
      return issue === tooMuchWork ? null : issue;
    },
  };
}

function compileStored(schema: Json): CompiledSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new Problem('invalid', `The workflow's input_schema ${error.message}.`);
  }
}

function presented({ pointer, keyword, message }: SchemaIssue, place: readonly string[]): PayloadIssue {
  return { type: keyword, loc: [...place, ...keysOf(pointer)], msg: message, pointer };
}

/** The keys of a JSON Pointer. */
export function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
