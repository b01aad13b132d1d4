import { type FieldIssue, type Json, Problem, type Workflow } from '@millrace/core';
import { type CompiledSchema, compileSchema, SchemaError, type SchemaIssue } from './json-schema.ts';

/** What a workflow's `input_schema` says about a payload: a field issue with the JSON Pointer of the value. */
interface PayloadIssue extends FieldIssue {
  readonly pointer: string;
}

/** Checks payloads against the `input_schema` of their workflow. */
export interface InputSchemas {
  /**
   * @param place where in the request the payload stands, for the issue's `loc`
   * @throws Problem `invalid` with one issue, or with a sentence when the stored schema itself cannot be used
   */
  check(workflow: Pick<Workflow, 'id' | 'updatedAt' | 'inputSchema'>, payload: Json, place: readonly string[]): void;
}

interface Compiled {
  readonly updatedAt: number;
  readonly find: CompiledSchema;
}

/** Compiled schemas that are kept, of some kilobytes each; past it the one compiled first goes. */
const maxKept = 1000;

/** Says why a schema cannot be used as `input_schema` or `output_schema`; null when it can. */
export function checkSchema(schema: Json): string | null {
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

/** Each workflow's schema is compiled once and again after the workflow changed. */
export function createInputSchemas(): InputSchemas {
  const kept = new Map<number, Compiled>();

  function compiled(workflow: Pick<Workflow, 'id' | 'updatedAt'>, schema: Json): CompiledSchema {
    const known = kept.get(workflow.id);
    if (known?.updatedAt === workflow.updatedAt) return known.find;
    const find = compileStored(schema);
    kept.delete(workflow.id);
    const oldest = kept.keys().next().value;
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(workflow.id, { updatedAt: workflow.updatedAt, find });
    return find;
  }

  return {
    check(workflow, payload, place) {
      if (workflow.inputSchema === null) return;
      const issue = compiled(workflow, workflow.inputSchema)(payload);
      if (issue !== null) throw new Problem('invalid', [presented(issue, place)]);
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
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { type: keyword, loc: [...place, ...path], msg: message, pointer };
}
