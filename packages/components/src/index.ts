import type { Catalogue, Component } from '@millrace/core';
import * as listed from './catalogue.ts';

/**
 * Every component type of this build, by name. Sorted, as modules sort their exports by name only where they are not
 * compiled to something else, and generated documents follow this order.
 */
export const catalogue: Catalogue = new Map(
  Object.entries(listed)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, component]): [string, Component<never>] => [component.type, component]),
);

export { scheduleTimetable } from './trigger-schedule.ts';
