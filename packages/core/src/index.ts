export { type AccessChange, type Collaborator, type CollaboratorRole, collaboratorRoles } from './base/access.ts';
export { exactJson } from './base/exact-json.ts';
export { exactSum } from './base/exact-sum.ts';
export { expressible } from './base/expressible.ts';
export { fileOf, isFile } from './base/file-value.ts';
export { isDeeperThan } from './base/json-depth.ts';
export { jsonKind } from './base/json-kind.ts';
export { isSameJson } from './base/json-same.ts';
export { exceededLimit, type JsonLimits, maxContainers, maxDifferentNames } from './base/json-text.ts';
export { keyCount } from './base/key-count.ts';
export { isJsonType, isMediaType, isScriptType, mediaType } from './base/media-type.ts';
export {
  finishedText,
  jsonCharactersPerStep,
  Meter,
  runThrough,
  type SlicedText,
  type SlicedWork,
  sliceMs,
} from './base/meter.ts';
export { momentOf } from './base/moment.ts';
export { closest, suggestion } from './base/nearest.ts';
export {
  asBoolean,
  asInteger,
  asItems,
  asNumber,
  asObject,
  asOneOf,
  asText,
  inexactIntegers,
  type Numeric,
  numericOf,
  receivedNumberOf,
  textOf,
} from './base/resolved.ts';
export { type SchemaIssue, schemaIssues } from './base/schema-issues.ts';
export { listed } from './base/texts/listed-names.ts';
export { ownPart, ownText, textStart } from './base/texts/own-text.ts';
export type { ApiKey, KeyScope, User } from './base/user.ts';
export { botCall, botResult, botSegment, publicBotApi } from './chat-bot/bot-api.ts';
export { botMessages, maxBotText, messageFormats } from './chat-bot/bot-message.ts';
export {
  admits,
  admitsNobody,
  type BotTriggerSettings,
  botChatTypes,
  botModes,
  botTriggerSettings,
  botTriggerType,
  type IncomingMessage,
  incomingMessage,
  isBotMatch,
  updateIdOf,
} from './chat-bot/incoming-message.ts';
export { maxBotMessage } from './chat-bot/message-parts.ts';
export { calledResult } from './component/called-result.ts';
export { commonKeysOf, commonSchemaOf } from './component/common-keys.ts';
export {
  type BodyWatch,
  type BoundSecret,
  type CallsRequest,
  type Captured,
  type Catalogue,
  type Component,
  type Connected,
  categories,
  defineComponent,
  type HttpAnswer,
  isTrigger,
  type KnownRequest,
  type MadeCalls,
  type ModelCall,
  type OutboundBody,
  type OutboundRequest,
  type OutboundResponse,
  type SecretFill,
  type SettingIssue,
  type Step,
  type StepContext,
  type StepOutcome,
  type StepResult,
  type ToolStep,
} from './component/component.ts';
export { checkConfig, memorySlot, modelSlot, toolSlot } from './component/config-check.ts';
export { configSchemaOf, keysAt } from './component/config-schema.ts';
export {
  type Conversation,
  type ConversationPort,
  type ConversationSummary,
  type ConversationTurn,
  type ConversationWindow,
  conversationMemoryConfig,
  type Recollection,
} from './component/conversation.ts';
export { type Credential, type CredentialType, credentialTypes } from './component/credential.ts';
export { isSentFrom } from './component/expression-places.ts';
export {
  defaultGitEvents,
  type GitEventFilter,
  type GitHost,
  gitEventHeaders,
  gitEventName,
  isWantedGitEvent,
} from './component/git/git-events.ts';
export {
  type GitAuthor,
  type GitRequest,
  gitBranchIssue,
  gitOperations,
  gitPathIssue,
} from './component/git/git-request.ts';
export { indexedWords, searchWords } from './component/memory/fact-words.ts';
export {
  exceedsFact,
  type FactSpace,
  type FactsPort,
  factScopes,
  type MemoryFact,
  maxFactKey,
  maxFactQuery,
  maxFacts,
  maxFactUser,
  maxFactValue,
} from './component/memory/facts.ts';
export {
  type KnownPerson,
  maxPeople,
  maxPersonText,
  type PeoplePort,
  type Person,
  type PersonFound,
  type PersonSeen,
} from './component/memory/people.ts';
export {
  addAnswer,
  addUsage,
  type ModelAnswer,
  type ModelCaller,
  type ModelExtras,
  type ModelMessage,
  type ModelPort,
  type ModelPrices,
  type ModelPrompt,
  type ModelRequest,
  type ModelSettings,
  type ModelStop,
  type ModelTool,
  type ModelTools,
  type ModelUsage,
  noUsage,
  type RawMessage,
  type StepUsage,
} from './component/model.ts';
export { nodeConfig } from './component/node-config.ts';
export {
  type OutputParserConfig,
  outputParserConfig,
  parseOutput,
  parserInstruction,
} from './component/output-parser.ts';
export {
  type Pause,
  type PauseAnswer,
  type PauseKey,
  type PauseRequest,
  pauseAfterSetClock,
  pauseStages,
} from './component/pause.ts';
export { policies, retryPolicy } from './component/policies.ts';
export { dataTypes, type InputPort } from './component/ports.ts';
export { recall } from './component/recall.ts';
export {
  consoleOf,
  type Script,
  type ScriptName,
  type ScriptResult,
  scriptLanguages,
  scriptNames,
} from './component/script.ts';
export {
  applyState,
  maxStateKey,
  maxStateTtl,
  maxStateValue,
  type StateEntry,
  type StateKey,
  type StateOperation,
  type StateRequest,
  stateOperations,
} from './component/state.ts';
export {
  type Call,
  type CallFailure,
  type EndedCall,
  endedCalls,
  type StepCall,
  toolCallsIn,
} from './component/tools/calls.ts';
export type { CommandRequest, CommandResult } from './component/tools/command.ts';
export { changesOutside, type Effect } from './component/tools/effect.ts';
export type { McpAnswer, McpPort, McpServer, McpTool } from './component/tools/mcp.ts';
export { argumentsBeginAt, filledConfig, listedTool, toolOf } from './component/tools/offered-tool.ts';
export type { PlatformAnswer, PlatformRequest } from './component/tools/platform-request.ts';
export type {
  ListedTool,
  ListingNode,
  Tool,
  ToolDescription,
  ToolList,
  ToolLister,
} from './component/tools/tool.ts';
export type { ToolCall } from './component/tools/tool-call.ts';
export { ui, widgets } from './component/ui-hint.ts';
export {
  bodyKindOf,
  bodyKinds,
  isAccepted,
  mediaRange,
  type SignatureScheme,
  signatureSchemes,
  type WebhookAuth,
  type WebhookChallenge,
  type WebhookMethod,
  webhookAuths,
  webhookChallenges,
  webhookMethods,
} from './component/webhook.ts';
export {
  detailChangeIssues,
  detailChanges,
  detailIssues,
  type GitDetail,
  type LlmDetail,
  newDetails,
} from './credentials/credential-detail.ts';
export {
  type MergedDetail,
  maskDetail,
  mergeDetail,
  newDetail,
  secretNames,
} from './credentials/credential-secrets.ts';
export { fullMask } from './credentials/secret-mask.ts';
export {
  allowedHostsIn,
  authConflict,
  endpointIn,
  isOpenEndpoint,
  readBasicPair,
  readToolAuth,
  type ToolAuth,
  toolAuthIssue,
  toolSecretKeys,
} from './credentials/tool-auth.ts';
export { checkDsl, type DslCheck, type DslWorkflow } from './dsl/check.ts';
export { type DslNames, draftConfig, mentionsOf } from './dsl/compile.ts';
export type { DslIssue } from './dsl/dsl-issue.ts';
export { printDsl } from './dsl/print.ts';
export { type DslReading, readDsl } from './dsl/read.ts';
export { Reader } from './dsl/reader.ts';
export { tooLarge as textTooLarge, yamlLimits } from './dsl/yaml/yaml-limits.ts';
export { parseYaml } from './dsl/yaml/yaml-parse.ts';
export { appliedChanges } from './editing/applied-changes.ts';
export {
  type EdgeUpdate,
  expectEdge,
  planEdgeRemoval,
  planEdgeUpdate,
  planNewEdge,
  syncModelLinks,
} from './editing/edge-edits.ts';
export type { EditRules } from './editing/edit-rules.ts';
export type { EdgeFields, GraphChange, NodeFields, SavedGraph, VersionedGraph } from './editing/graph-change.ts';
export { differenceTo } from './editing/graph-difference.ts';
export type { GivenConfig, GraphOperation, NewNode, NodeChanges } from './editing/graph-operation.ts';
export { invalidField } from './editing/invalid-field.ts';
export { expectNode, nodeNotFound, planNewNode, planRemoval, planUpdate } from './editing/node-edits.ts';
export { planned, planOperations } from './editing/operation-plan.ts';
export { rejectionOf } from './editing/rejected-operation.ts';
export {
  advance,
  type Decision,
  defaultMaxRunSize,
  defaultMaxSteps,
  maxOutputs,
  outputFailure,
  sizeFailure,
} from './engine/advance.ts';
export { type ChatTurn, chatTriggerType, shortChatText, storedChatText } from './engine/chat.ts';
export type { EventCall, LiveEvent, Published } from './engine/events.ts';
export {
  type Execution,
  type ExecutionStatus,
  executionStatuses,
  isEnded,
  type QueryParameters,
  type Trigger,
} from './engine/execution.ts';
export { applyFact } from './engine/fold/fold.ts';
export { type LaterNumbers, laterAttemptNumbers } from './engine/journal/attempt-numbers.ts';
export { executionLog, executionLogInSlices, type LogEntry } from './engine/journal/execution-log.ts';
export { forkInSlices } from './engine/journal/fork.ts';
export type {
  ChildPaused,
  ErrorHandling,
  Fact,
  Failure,
  JournalEntry,
  RunFinished,
  StepFailed,
  StepKey,
  StepPaused,
  StepResumed,
  StepStopped,
  StepSucceeded,
} from './engine/journal/history.ts';
export { type SentPrompt, shownMessage } from './engine/journal/model-prompt.ts';
export { type QuestionEnd, questionIn } from './engine/journal/question.ts';
export { foldEntries, retryInSlices, standingEntries } from './engine/journal/retried-journal.ts';
export { linkTokensIn, openTokenLength, withoutLinkTokens } from './engine/link-tokens.ts';
export { pastScope } from './engine/past-scope.ts';
export { type Plan, type PlanNode, planningRun, planRun } from './engine/plan.ts';
export { position } from './engine/position.ts';
export { isRetried, onUnknownOf, retryDefaults, retryDelay, retryRule } from './engine/retry.ts';
export { incidentFailure, isQuarantined, type RunIncident } from './engine/run-incident.ts';
export { runPart } from './engine/run-part.ts';
export { RunScope } from './engine/run-scope.ts';
export {
  type CallsState,
  effectOf,
  eventCallOf,
  type FrameState,
  followSetClock,
  innerFrameKey,
  newRunState,
  type RunState,
  type StepState,
  stepAt,
} from './engine/run-state.ts';
export { planWeight, runWeight } from './engine/run-weight.ts';
export { inputOf } from './engine/step-input.ts';
export { isToCome } from './engine/step-to-come.ts';
export { stoppedBecause } from './engine/stopped-step.ts';
export { valueSize } from './engine/value-size.ts';
export {
  type ErrorCode,
  type ErrorKind,
  errorTable,
  type FieldIssue,
  Problem,
  StepError,
} from './errors.ts';
export { childrenOf, type ExpressionNode } from './expression/ast.ts';
export { type CompiledConfig, compileConfig, resolveConfig, resolvingConfig } from './expression/config/config.ts';
export { type EvaluatedText, evaluateText } from './expression/config/evaluated-text.ts';
export { isKnown, type PartlyKnown, unknownText, unknownValue } from './expression/config/partly-known.ts';
export { parseTemplate, renderTemplate } from './expression/config/template.ts';
export { evaluate } from './expression/evaluate.ts';
export { ExpressionError } from './expression/expression-error.ts';
export type { Filter, Parameter } from './expression/filters/filter.ts';
export { filters, findFilter } from './expression/filters/table.ts';
export { jsonPieces, writtenJson } from './expression/json/json-pieces.ts';
export { jsonSize } from './expression/json/json-size.ts';
export { parsedJson } from './expression/json/parsed-json.ts';
export { receivedJson } from './expression/json/received-json.ts';
export { dataKeywords, schemaMaps, withNumberBounds } from './expression/json/schema-numbers.ts';
export { maxResultSize } from './expression/limits.ts';
export { parseExpression } from './expression/parse.ts';
export { predicates } from './expression/predicates.ts';
export type { Scope } from './expression/scope.ts';
export { addSpent, type Budget, exceededBudget, nothingSpent, periodOf, type Spent } from './graph/budget.ts';
export { keyIssue } from './graph/concurrency-key.ts';
export { checkEdge, switchType } from './graph/edge-rules.ts';
export {
  type Edge,
  type EdgeLabel,
  type EdgeType,
  emptyGraph,
  findNode,
  firstNewId,
  type Graph,
  isSameEdge,
  isSameNode,
  type Node,
  type Workflow,
} from './graph/graph.ts';
export { edgeDraft, edgeFields, nodeFields, workflowFields } from './graph/graph-fields.ts';
export { graphWeight } from './graph/graph-weight.ts';
export { publicGraph, publicNode } from './graph/public-graph.ts';
export { effectiveVersion, hasUnpublishedChanges } from './graph/publication.ts';
export {
  firesToRun,
  maxMadeUp,
  missedPolicies,
  type OverlapPolicy,
  overlapPolicies,
  type ReadTimetable,
  type Schedule,
  type SchedulePolicies,
  type ScheduleState,
  schedulePolicies,
  scheduleStates,
  scheduleType,
  type Timetable,
  timingOf,
  upcomingTimes,
  withoutPast,
} from './graph/schedule.ts';
export { typeSuggestion } from './graph/step-types.ts';
export { modelIn, type SubComponent } from './graph/sub-components.ts';
export { renameInConfig } from './graph/text-places.ts';
export { toolNodeOf } from './graph/tool-node.ts';
export { answerFailure, answerKinds, readAnswer } from './http/answer.ts';
export { answerJson, answerText, charsetIssue } from './http/answer-charset.ts';
export { bodylessStatuses, isAnswerHeader, isAnswerName, sentValue } from './http/answer-headers.ts';
export { checkErrorPath, errorPathIssues } from './http/error-path.ts';
export {
  asHeaders,
  headerIssues,
  headerText,
  isConnectionHeader,
  type LiteralHeader,
  literalHeaders,
} from './http/headers.ts';
export { Pager } from './http/pager.ts';
export { pagination, paginationIssues, unpagedReason } from './http/pagination.ts';
export { encodeBody } from './http/request-body.ts';
export { retryAfterMs } from './http/retry-after.ts';
export { parameterNames, withoutParameter, withQuery } from './http/url-query.ts';
export { isArray, isObject, type Json, type JsonObject, own } from './json.ts';
export { type Operator, operatorFamilies } from './rules/conditions.ts';
export { ItemScope, valueIn } from './rules/item-scope.ts';
export { type Rule, routeRules, ruleHolds, rules } from './rules/rules.ts';
export { formatInstant, type Instant, instantAfter, parseInstant, roundInstant } from './time.ts';
export { type GraphIssue, isError, isRejection, limitIssues } from './validation/graph-issue.ts';
export {
  type Callee,
  type GraphWorld,
  missingCredential,
  noWorld,
  type PayloadIssue,
} from './validation/graph-world.ts';
export { InvalidWorkflow, issuesInPart } from './validation/invalid-workflow.ts';
export { validateGraph, validatingGraph } from './validation/validate.ts';
export { calledSlug, checkCall } from './validation/validate-calls.ts';
export { missingConnection } from './validation/validate-connections.ts';
export { variablesCheck } from './validation/validate-names.ts';
export {
  type ChangedVariable,
  changedVariable,
  newVariable,
  shownValue,
  type Variable,
  type VariableChange,
  type VariableName,
  variableName,
} from './variables/variable.ts';
