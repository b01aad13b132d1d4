import { z } from 'zod';
import { workflowFields } from '../graph/graph-fields.ts';
import type { JsonObject } from '../json.ts';
import type { Header } from './draft.ts';
import type { Reader } from './reader.ts';

const schema: z.ZodType<JsonObject | null> = z.record(z.string(), z.json()).nullable();

/** The fields of the workflow itself that a text may set, in the order of the canonical text, with their defaults. */
const headerFields = {
  name: workflowFields.name,
  slug: workflowFields.slug,
  description: workflowFields.description,
  is_active: workflowFields.is_active,
  is_public: workflowFields.is_public,
  is_default: workflowFields.is_default,
  mcp: workflowFields.mcp,
  tags: workflowFields.tags,
  error_handler: z.string().min(1).nullable(),
  input_schema: schema,
  output_schema: schema,
  max_execution_seconds: workflowFields.max_execution_seconds,
  concurrency: workflowFields.concurrency,
  concurrency_key: workflowFields.concurrency_key,
  budget: workflowFields.budget,
  priority: workflowFields.priority,
};

/** The keys of every text. */
export const headerKeys: readonly string[] = Object.keys(headerFields);

/** The default fields of a workflow. */
export const headerDefaults: Omit<Header, 'name' | 'slug'> = {
  description: '',
  isActive: true,
  isPublic: false,
  isDefault: false,
  mcp: false,
  tags: null,
  errorHandler: null,
  inputSchema: null,
  outputSchema: null,
  maxExecutionSeconds: 900,
  concurrency: null,
  concurrencyKey: null,
  budget: null,
  priority: 0,
};

/** The fields of the workflow itself. */
export function readHeader(reader: Reader): Header {
  const read = <T>(key: keyof typeof headerFields, type: z.ZodType<T>, fallback: T) =>
    reader.read([key], type, fallback);
  const name = read('name', headerFields.name, '');
  if (reader.nodeAt(['name']) === undefined) reader.report({ code: 'field', message: "A workflow needs 'name'." }, []);
  return {
    name,
    slug: readSlug(reader, name),
    description: read('description', headerFields.description, headerDefaults.description),
    isActive: reader.nodeAt(['is_active']) === undefined ? null : read('is_active', headerFields.is_active, true),
    isPublic: read('is_public', headerFields.is_public, headerDefaults.isPublic),
    isDefault: read('is_default', headerFields.is_default, headerDefaults.isDefault),
    mcp: read('mcp', headerFields.mcp, headerDefaults.mcp),
    tags: read('tags', headerFields.tags, null),
    errorHandler: read('error_handler', headerFields.error_handler, null),
    inputSchema: read('input_schema', headerFields.input_schema, null),
    outputSchema: read('output_schema', headerFields.output_schema, null),
    maxExecutionSeconds: read(
      'max_execution_seconds',
      headerFields.max_execution_seconds,
      headerDefaults.maxExecutionSeconds,
    ),
    concurrency: read('concurrency', headerFields.concurrency, null),
    concurrencyKey: read('concurrency_key', headerFields.concurrency_key, null),
    budget: read('budget', headerFields.budget, null),
    priority: read('priority', headerFields.priority, 0),
  };
}

/** The slug of a text without one is derived from its name. */
function readSlug(reader: Reader, name: string): string {
  if (reader.nodeAt(['slug']) !== undefined) return reader.read(['slug'], headerFields.slug, '');
  const slug = slugOf(name);
  if (headerFields.slug.safeParse(slug).success) return slug;
  if (name !== '')
    reader.report({ code: 'field', message: "Give a 'slug': none can be derived from the name." }, ['name']);
  return '';
}

function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 100).replace(/-$/, '');
}
