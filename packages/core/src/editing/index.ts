export { exactJson, exactJsonText, exactNumber } from '../base/exact-json.ts';
export { isSameJson } from '../base/json-same.ts';
export { emptyConfig } from '../component/empty-config.ts';
export { Problem } from '../errors.ts';
export { sameEdge } from '../graph/duplicate-edges.ts';
export { type ConnectableType, type ConnectableTypes, checkEdge } from '../graph/edge-rules.ts';
export {
  type Edge,
  findEdge,
  findNode,
  firstNewId,
  type Graph,
  isSameEdge,
  isSameNode,
  type Node,
} from '../graph/graph.ts';
export { edgesAt, type Rename, renameInTexts } from '../graph/graph-edit.ts';
export { isObject, type Json, type JsonObject } from '../json.ts';
export { formatInstant, parseInstant } from '../time.ts';
export { appliedChanges } from './applied-changes.ts';
export type { EditRules } from './edit-rules.ts';
export type { EdgeFields, GraphChange, NodeFields, VersionedGraph } from './graph-change.ts';
export { differenceTo, type TextGraph } from './graph-difference.ts';
export type { GraphOperation, NodeChanges } from './graph-operation.ts';
export { planned, planOperation, planOperations } from './operation-plan.ts';
