import { type CredentialType, type GraphWorld, type JsonObject, type ReadTimetable, StepError } from '@millrace/core';
import { compilePattern } from '../regex.ts';
import type { Store } from '../store/store.ts';
import { type CalleePorts, type Checked, findCallees } from './callees.ts';
import { checkSchema } from './input-schema.ts';

/** What stands behind the checks of graphs. */
export interface WorldPorts extends CalleePorts {
  readonly store: CalleePorts['store'] & Pick<Store, 'credentials'>;
  readonly readTimetable: ReadTimetable;
}

/** What the checks of a graph ask of this service, as it is now. */
export async function graphWorld(ports: WorldPorts, checked: Checked): Promise<GraphWorld> {
  const { store, readTimetable } = ports;
  const credentials = new Map((await store.credentials.names()).map((credential) => [credential.id, credential]));
  return {
    credentialFault: (id, wanted) => credentialFault(credentials.get(id)?.credentialType, wanted),
    signingFault: (id) => (credentials.get(id)?.hasWebhookSecret === false ? 'has no webhook_secret' : null),
    scheduleFault: (timing) => scheduleFault(timing, readTimetable),
    callee: await findCallees(ports, checked),
    patternFault,
    schemaFault: (schema) => checkSchema(schema),
  };
}

function credentialFault(type: CredentialType | undefined, wanted: CredentialType | null): string | null {
  if (type === undefined) return 'does not exist';
  return wanted === null || type === wanted ? null : `is of type '${type}' and not '${wanted}'`;
}

function scheduleFault(timing: JsonObject, readTimetable: ReadTimetable): string | null {
  // Of what is no pattern at all the config's own check says so.
  const timetable = readTimetable(timing);
  return timetable === null || timetable.fires() ? null : 'Never fires: no date has this day, month and weekday';
}

function patternFault(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}
