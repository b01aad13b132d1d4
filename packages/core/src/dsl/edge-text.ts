import { suggestion } from '../base/nearest.ts';
import type { EdgeDraft } from '../graph/edge-rules.ts';
import { type EdgeLabel, edgeLabels } from '../graph/graph.ts';

const form = /^\s*(\w+)\s*-(?:\[(.*)\]-|([^\s[\]>-]+)-)?>\s*(\w+)\s*$/;

/** Parses `a -> b`, `a -label-> b` or `a -[route]-> b`; returns an error message for any other text. */
export function parseEdgeText(text: string): EdgeDraft | string {
  // A route contains no line breaks, so a text with one is not parsed.
  const match = text.includes('\n') ? null : form.exec(text);
  if (match === null) return "An edge is 'a -> b', 'a -label-> b' or 'a -[route]-> b', or a map of its fields.";
  const [, sourceNodeId = '', value, label, targetNodeId = ''] = match;
  if (label !== undefined && !isLabel(label)) {
    return `Unknown edge label '${label}'.${suggestion(label, edgeLabels) || ` Routes are written in brackets: -[${label}]->.`}`;
  }
  return {
    sourceNodeId,
    targetNodeId,
    edgeType: value === undefined ? 'direct' : 'conditional',
    edgeLabel: label ?? '',
    conditionMapping: null,
    conditionValue: value ?? '',
    priority: 0,
  };
}

/** The edge as a text that is parsed as the same edge; null if there is none. */
export function printEdgeText(edge: EdgeDraft): string | null {
  const { sourceNodeId, targetNodeId, edgeLabel, conditionValue } = edge;
  const middle =
    edge.edgeType === 'conditional' ? `-[${conditionValue}]->` : edgeLabel === '' ? '->' : `-${edgeLabel}->`;
  const text = `${sourceNodeId} ${middle} ${targetNodeId}`;
  const read = parseEdgeText(text);
  return typeof read !== 'string' && isSame(read, edge) ? text : null;
}

function isLabel(text: string): text is EdgeLabel {
  return (edgeLabels as readonly string[]).includes(text);
}

function isSame(a: EdgeDraft, b: EdgeDraft): boolean {
  return (
    a.sourceNodeId === b.sourceNodeId &&
    a.targetNodeId === b.targetNodeId &&
    a.edgeType === b.edgeType &&
    a.edgeLabel === b.edgeLabel &&
    a.conditionValue === b.conditionValue &&
    a.priority === b.priority &&
    a.conditionMapping === b.conditionMapping
  );
}
