import { botTriggerSettings, botTriggerType, type JsonObject, type Node, own } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { ScheduleTable } from '../workflows/schedule-table.ts';

/**
 * The table of schedules that also updates `bot_triggers`: the triggers of bots follow the version that triggers run just
 * as schedules do.
 */
export function withBotTriggers(schedules: ScheduleTable, connection: Connection): ScheduleTable {
  const set = connection.prepare<[number, number, number | null, number]>(
    `INSERT INTO bot_triggers (node_id, workflow_id, credential_id, has_webhook) VALUES (?, ?, ?, ?)
     ON CONFLICT (node_id) DO UPDATE SET credential_id = excluded.credential_id, has_webhook = excluded.has_webhook`,
  );
  const remove = connection.prepare<[number]>('DELETE FROM bot_triggers WHERE node_id = ?');
  const ofWorkflow = connection
    .prepare<[number], number>('SELECT node_id FROM bot_triggers WHERE workflow_id = ?')
    .pluck();

  function follow({ id, componentType, config }: Node, workflowId: number, effects: Effects): void {
    if (componentType !== botTriggerType) return;
    const credentialId = own(config, 'credential_id');
    const { mode } = botTriggerSettings((own(config, 'extra_config') ?? {}) as JsonObject);
    // An inactive trigger receives nothing.
    if (own(config, 'is_active') === false) remove.run(id);
    else set.run(id, workflowId, typeof credentialId === 'number' ? credentialId : null, mode === 'webhook' ? 1 : 0);
    effects.bots = true;
  }

  function dropAll(ids: readonly number[], effects: Effects): void {
    for (const id of ids) remove.run(id);
    if (ids.length > 0) effects.bots = true;
  }

  return {
    ...schedules,
    follow(node, place, effects) {
      follow(node, place.workflowId, effects);
      return schedules.follow(node, place, effects);
    },
    remove(nodeId, effects) {
      if (remove.run(nodeId).changes > 0) effects.bots = true;
      schedules.remove(nodeId, effects);
    },
    followVersion(params, effects) {
      const { workflowId, nodes } = params;
      dropAll(ofWorkflow.all(workflowId), effects);
      for (const node of nodes) follow(node, workflowId, effects);
      schedules.followVersion(params, effects);
    },
    followWorkflow(params, effects) {
      if (ofWorkflow.all(params.workflowId).length > 0) effects.bots = true;
      schedules.followWorkflow(params, effects);
    },
  };
}
