import { formatInstant, type Node, nodeConfig, nodeFields, type Schedule } from '@millrace/core';
import { z } from 'zod';
import { listOf, named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';
import { configChanges, givenConfig, shownConfig } from './node-config.ts';
import { presentSchedule, scheduleJob } from './schedule.ts';

const { node_id: nodeId, label, position, reference, ...flags } = nodeFields;

/** The example of a node in the document. */
export const nodeExample = {
  id: 31,
  node_id: 'greet',
  label: 'Greets',
  component_type: 'template',
  is_entry_point: false,
  interrupt_before: false,
  interrupt_after: false,
  position_x: 240,
  position_y: 0,
  config: nodeConfig.parse({ extra_config: { template: 'Hello, {{ trigger.payload.name }}!' } }),
  subworkflow_id: null,
  code_block_id: null,
  updated_at: '2026-01-31T12:30:00.000000',
  schedule_job: null,
};

/** A component in a workflow, with its config. */
export const node = named(
  'Node',
  z.object({
    id: z.int(),
    node_id: z.string(),
    label: z.string().nullable(),
    component_type: z.string(),
    is_entry_point: z.boolean(),
    interrupt_before: z.boolean(),
    interrupt_after: z.boolean(),
    position_x: z.int(),
    position_y: z.int(),
    config: shownConfig,
    subworkflow_id: z.int().nullable(),
    code_block_id: z.int().nullable(),
    updated_at: timestamp.describe('When the node was last changed, or its schedule started, paused or stopped.'),
    schedule_job: scheduleJob.nullable().describe('The schedule of a `trigger_schedule` node; null for other nodes.'),
  }),
  { description: 'A component in a workflow, with its config.', example: nodeExample },
);
type NodeBody = z.infer<typeof node>;

export const nodeList = listOf('NodeList', node);

const fields = {
  label,
  ...flags,
  position_x: position,
  position_y: position,
  subworkflow_id: reference,
  code_block_id: reference,
};

/** A node to create. */
export const newNode = named(
  'NewNode',
  z.object({
    node_id: nodeId.optional().describe('By default, generated from the component type.'),
    component_type: z.string(),
    label: label.default(null),
    is_entry_point: fields.is_entry_point.default(false),
    interrupt_before: fields.interrupt_before.default(false),
    interrupt_after: fields.interrupt_after.default(false),
    position_x: position.default(0),
    position_y: position.default(0),
    config: givenConfig.default({}),
    subworkflow_id: reference.default(null),
    code_block_id: reference.default(null),
  }),
  { description: 'A node to create.' },
).register(furtherKeys, { shown: fieldsOf(node) });

/** What to change in a node. */
export const nodeChanges = named(
  'NodeChanges',
  z
    .object({
      ...fields,
      node_id: nodeId.describe('A new name. Edges and expressions that use the old name are updated.'),
      component_type: z.string().describe('Cannot be changed: only the current type is accepted.'),
      config: configChanges,
    })
    .partial(),
  { description: 'Changes to a node.' },
).register(furtherKeys, { shown: fieldsOf(node) });

/** Schedules by node id. */
export type SchedulesById = ReadonlyMap<number, Schedule>;

/** Nodes as the API shows them. */
export function presentNodes(nodes: readonly Node[], schedules: SchedulesById): NodeBody[] {
  return nodes.map((node) => presentNode(node, schedules.get(node.id) ?? null));
}

/** A node as the API shows it. */
export function presentNode(node: Node, schedule: Schedule | null): NodeBody {
  return {
    id: node.id,
    node_id: node.nodeId,
    label: node.label,
    component_type: node.componentType,
    is_entry_point: node.isEntryPoint,
    interrupt_before: node.interruptBefore,
    interrupt_after: node.interruptAfter,
    position_x: node.positionX,
    position_y: node.positionY,
    // The stored config was created by `nodeConfig`.
    config: node.config as unknown as NodeBody['config'],
    subworkflow_id: node.subworkflowId,
    code_block_id: node.codeBlockId,
    updated_at: formatInstant(Math.max(node.updatedAt, schedule?.steeredAt ?? 0)),
    schedule_job: schedule === null ? null : presentSchedule(schedule),
  };
}
