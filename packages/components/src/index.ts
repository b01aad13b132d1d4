import type { Catalogue, Component } from '@millrace/core';
import * as listed from './catalogue.ts';

/** Every component type of this build, by name. */
export const catalogue: Catalogue = new Map(
  Object.values(listed).map((component): [string, Component<never>] => [component.type, component]),
);

export { scheduleTimetable } from './trigger-schedule.ts';
