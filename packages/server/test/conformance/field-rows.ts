import { z } from 'zod';
import { type Part, part } from './row.ts';

/** A field of an object of the specification. */
export interface Field {
  readonly id: string;
  readonly name: string;
  readonly says: string;
  readonly shape: z.ZodType;
  /** Its value in an object that was created without it; undefined if it is required or set by the service. */
  readonly absent?: unknown;
}

const text = z.string();
const whole = z.int();
const flag = z.boolean();
const object = z.record(z.string(), z.unknown());
const moment = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);

type Line = readonly [name: string, says: string, shape: z.ZodType, absent?: unknown];

function fields(prefix: string, lines: readonly Line[]): Field[] {
  return lines.map(([name, says, shape, absent]) => ({ id: `${prefix}.${name}`, name, says, shape, absent }));
}

export const workflowFields = fields('spec.workflow', [
  ['id', 'int', whole],
  ['name', 'string', text],
  ['slug', 'string', text],
  ['description', 'string; empty by default', text, ''],
  ['is_active', 'boolean; true by default', flag, true],
  ['is_public', 'boolean; false by default', flag, false],
  ['is_default', 'boolean; false by default', flag, false],
  ['tags', 'strings or null; null by default', z.array(text).nullable(), null],
  ['error_handler_workflow_id', 'int or null; null by default', whole.nullable(), null],
  ['input_schema', 'object or null; null by default', object.nullable(), null],
  ['output_schema', 'object or null; null by default', object.nullable(), null],
  ['node_count', 'int', whole],
  ['edge_count', 'int', whole],
  ['created_at', 'timestamp', moment],
  ['updated_at', 'timestamp', moment],
]);

export const edgeFields = fields('spec.edge', [
  ['id', 'int', whole],
  ['source_node_id', 'string', text],
  ['target_node_id', 'string', text],
  ['edge_type', '`direct` or `conditional`; `direct` by default', z.enum(['direct', 'conditional']), 'direct'],
  ['edge_label', 'string; empty by default', text, ''],
  ['condition_mapping', 'object or null; null by default', object.nullable(), null],
  ['condition_value', 'string; empty by default', text, ''],
  ['priority', 'int; 0 by default', whole, 0],
]);

const port = z.object({ name: text, data_type: text });
const input = port.extend({ required: flag });

export const componentFields = fields('spec.component', [
  ['label', 'string', text],
  ['category', 'string', text],
  ['description', 'string', text],
  ['icon', 'string', text],
  ['color', 'hex colour', z.string().regex(/^#[0-9a-f]{6}$/i)],
  ['inputs', 'list of `{name, data_type, required}`', z.array(input)],
  ['outputs', 'list of `{name, data_type}`', z.array(port)],
  ['sub_inputs', 'list of `{name, data_type, required}`', z.array(input)],
  ['executable', 'boolean', flag],
]);

export const nodeFields = fields('interface.node', [
  ['id', 'int', whole],
  ['node_id', 'string', text],
  ['label', 'string or null', text.nullable(), null],
  ['component_type', 'string', text],
  ['is_entry_point', 'boolean', flag, false],
  ['interrupt_before', 'boolean', flag, false],
  ['interrupt_after', 'boolean', flag, false],
  ['position_x', 'int', whole, 0],
  ['position_y', 'int', whole, 0],
  ['config', 'object', object],
  ['subworkflow_id', 'int or null', whole.nullable(), null],
  ['code_block_id', 'int or null', whole.nullable(), null],
  ['updated_at', 'timestamp', moment],
  ['schedule_job', 'object or null', object.nullable(), null],
]);

export const executionFields = fields('interface.execution', [
  ['execution_id', 'UUID version 7', z.uuidv7()],
  ['workflow_slug', 'string', text],
  [
    'status',
    'one of seven',
    z.enum(['pending', 'running', 'waiting', 'interrupted', 'completed', 'failed', 'cancelled']),
  ],
  ['error_message', 'string or null', text.nullable()],
  ['trigger_node_id', 'string', text],
  ['workflow_version', 'int', whole],
  ['parent_execution_id', 'id or null', z.uuidv7().nullable()],
  ['accepted_at', 'timestamp', moment],
  ['error_code', 'string or null', text.nullable()],
  ['error_node_id', 'string or null', text.nullable()],
  ['started_at', 'timestamp or null', moment.nullable()],
  ['completed_at', 'timestamp or null', moment.nullable()],
  ['total_tokens', 'int', whole],
  ['total_cost_usd', 'number', z.number()],
  ['llm_calls', 'int', whole],
  ['trigger_payload', 'any JSON, in the detail', z.json()],
  ['final_output', 'any JSON, in the detail', z.json()],
  ['logs', 'list, in the detail', z.array(object)],
  ['open_questions', 'list, in the detail', z.array(object)],
]);

export const logFields = fields('interface.log', [
  ['id', 'int', whole],
  ['node_id', 'string', text],
  ['frame', 'string', text],
  ['attempt', 'int', whole],
  ['status', '`success`, `failed` or `skipped`', z.enum(['success', 'failed', 'skipped'])],
  ['input', 'any JSON', z.json()],
  ['output', 'object or null', object.nullable()],
  ['error', 'string or null', text.nullable()],
  ['error_code', 'string or null', text.nullable()],
  ['metadata', 'object', object],
  ['duration_ms', 'number', z.number()],
  ['queued_at', 'timestamp or null', moment.nullable()],
  ['started_at', 'timestamp or null', moment.nullable()],
  ['ended_at', 'timestamp or null', moment.nullable()],
  ['timestamp', 'timestamp', moment],
]);

function fieldPart(title: string, list: readonly Field[], test: string): Part {
  return { title, rows: list.map(({ id, name, says }) => ({ id, says: `\`${name}\`: ${says}`, tests: [test] })) };
}

export const fieldRows: readonly Part[] = [
  fieldPart('Workflow', workflowFields, 'conformance/fields: a workflow has $name: $says'),
  fieldPart('Edge', edgeFields, 'conformance/fields: an edge has $name: $says'),
  fieldPart('Component type', componentFields, 'conformance/fields: every component type has $name: $says'),
  part('Ports', 'spec.ports', [
    [
      'data-types',
      'the data types `text`, `llm`, `tool`, `memory`, `number`',
      'conformance/conventions: has the data types of the specification',
    ],
    [
      'sub-inputs',
      'sub-inputs are slots of labelled edges; an agent requires a model',
      'conformance/conventions: has sub-inputs for models, tools and memory, of which an agent requires the model',
    ],
  ]),
  fieldPart('Node', nodeFields, 'conformance/fields: a node has $name: $says'),
  fieldPart('Execution', executionFields, 'conformance/fields: an execution has $name: $says'),
  fieldPart('Log entry of an execution', logFields, 'conformance/fields: a log entry has $name: $says'),
];
