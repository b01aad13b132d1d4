import type { SearchSchemaInput } from '@tanstack/react-router';

/** The tabs of a step on the page of a run. */
const stepTabs = ['conversation', 'input', 'output', 'error', 'logs', 'attempts'] as const;

/** What the page of a run shows. What is missing has its default, so that addresses are short. */
interface RunSearch {
  /** The selected node; by default, what needs attention first. */
  readonly step?: string;
  /** The iteration of the selected node. */
  readonly frame?: string;
  /** By default, the last attempt. */
  readonly attempt?: number;
  readonly tab?: (typeof stepTabs)[number];
  /** The filter of the steps. */
  readonly q?: string;
  readonly failed?: true;
}

/** The selection on the page of a run, as its address has it. */
export function runSearch(input: { [Key in keyof RunSearch]?: unknown } & SearchSchemaInput): RunSearch {
  const { step, frame, attempt, tab, q, failed } = input;
  const known = stepTabs.find((name) => name === tab);
  return {
    ...(isText(step) && { step }),
    ...(isText(frame) && { frame }),
    ...(typeof attempt === 'number' && { attempt }),
    ...(known !== undefined && { tab: known }),
    ...(isText(q) && { q }),
    ...(failed === true && { failed }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Which step the page of a comparison shows. */
interface CompareSearch {
  /** The earlier execution; by default, the last one in which the step succeeded. */
  readonly a?: string;
  readonly b: string;
  readonly step: string;
  readonly frame?: string;
}

/** The compared executions and their step, as the address of the page has them. */
export function compareSearch(input: { [Key in keyof CompareSearch]?: unknown } & SearchSchemaInput): CompareSearch {
  const { a, b, step, frame } = input;
  return {
    ...(isText(a) && { a }),
    b: isText(b) ? b : '',
    step: isText(step) ? step : '',
    ...(isText(frame) && { frame }),
  };
}

/** What the editor shows first. */
interface EditorSearch {
  /** The selected node. */
  readonly node?: string;
  /** The field of its form that needs attention. */
  readonly field?: string;
  /** The execution that the canvas shows. */
  readonly run?: string;
}

/** The selection in the editor, as its address has it. */
export function editorSearch(input: { [Key in keyof EditorSearch]?: unknown } & SearchSchemaInput): EditorSearch {
  const { node, field, run } = input;
  return { ...(isText(node) && { node }), ...(isText(field) && { field }), ...(isText(run) && { run }) };
}

/** Which runs the list shows. */
interface RunsSearch {
  /** The slug of a workflow. */
  readonly workflow?: string;
  readonly status?: string;
  /** A text in the payload, the output or an error. */
  readonly q?: string;
  readonly period?: string;
  readonly page?: number;
}

/** The filters of the list of runs, as its address has them. What does not limit the list is left out. */
export function runsSearch(input: { [Key in keyof RunsSearch]?: unknown } & SearchSchemaInput): RunsSearch {
  const { workflow, status, q, period, page } = input;
  return {
    ...(isText(workflow) && { workflow }),
    ...(isText(status) && { status }),
    ...(isText(q) && { q }),
    ...(isText(period) && { period }),
    ...(typeof page === 'number' && page > 1 && { page: Math.trunc(page) }),
  };
}
