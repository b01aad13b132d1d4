export {
  collaborator,
  collaboratorChanges,
  collaboratorList,
  newCollaborator,
  presentCollaborator,
} from './access/collaborator.ts';
export { apiKeyList, issuedKey, keyRemoval, keyRequest, presentKey } from './access/key.ts';
export { sessionRequest, sessionState, setupState } from './access/session.ts';
export {
  login,
  loginRequest,
  newUser,
  passwordChange,
  presentUser,
  user,
  userChanges,
  userList,
  userRemoval,
} from './access/user.ts';
export { camelKeys } from './base/camel-keys.ts';
export { errorBody, invalidBody } from './base/error.ts';
export { json } from './base/json.ts';
export { answerAs, exampleOf } from './base/named.ts';
export { pageQuery } from './base/page.ts';
export { type UnknownKey, unknownKeys } from './base/unknown-keys.ts';
export {
  credential,
  credentialBatch,
  credentialChanges,
  credentialList,
  newCredential,
  presentCredential,
} from './credentials/credential.ts';
export { credentialTest, modelList } from './credentials/credential-models.ts';
export {
  credentialInUse,
  credentialUseList,
  hiddenUses,
  presentCredentialInUse,
  presentCredentialUses,
} from './credentials/credential-use.ts';
export { eventData, eventEnvelope, presentEvent } from './event.ts';
export {
  cassette,
  type Exchange,
  exchangesIn,
  presentCassette,
  type RecordedAnswer,
  type RecordedCommand,
  type RecordedFailure,
  type RecordedGit,
  type RecordedMcp,
  recordedParts,
  textOrPart,
} from './executions/cassette.ts';
export {
  chatAnswer,
  chatForgetQuery,
  chatHistory,
  chatHistoryQuery,
  chatRequest,
  presentChatTurn,
} from './executions/chat.ts';
export {
  answeredByLink,
  executeAnswer,
  executeRequest,
  execution,
  executionBatch,
  executionDetail,
  executionDetailQuery,
  executionList,
  executionQuery,
  linkAnswerRequest,
  presentExecution,
  presentExecutionDetail,
  replayRequest,
  resumedByCallback,
  resumeRequest,
  retryRequest,
} from './executions/execution.ts';
export { botUpdateReceived, webhookAccepted, webhookAnswer, webhookFailed } from './executions/webhook.ts';
export { health } from './health.ts';
export {
  deletedFactsQuery,
  type FactPlace,
  fact,
  factList,
  factQuery,
  newFactValue,
  oneFactQuery,
  presentFact,
} from './memory/fact.ts';
export { onePersonQuery, personList, personQuery, presentPerson } from './memory/person.ts';
export { newStateValue, stateQuery, stateValue } from './variables/state.ts';
export { newVariableBody, presentVariable, variable, variableChanges, variableList } from './variables/variable.ts';
export { presentWorkflowActivity, workflowActivityList } from './workflows/activity.ts';
export { componentCatalogue, presentComponent } from './workflows/component.ts';
export {
  dslExport,
  dslImport,
  dslText,
  dslValidation,
  importedWorkflow,
  presentDslCheck,
  presentImported,
  presentTextReading,
  savedText,
  textReading,
} from './workflows/dsl.ts';
export { edge, edgeChanges, edgeList, newEdge, presentEdge } from './workflows/edge.ts';
export {
  expressionRequest,
  expressionResult,
  maxEvaluatedText,
  maxShownValue,
  presentEvaluatedText,
} from './workflows/expression.ts';
export {
  graphAnswer,
  graphConflict,
  graphRequest,
  type OperationBody,
  presentResult,
} from './workflows/graph-operation.ts';
export { newNode, node, nodeChanges, nodeList, presentNode, presentNodes } from './workflows/node.ts';
export { configKeySchemas } from './workflows/node-config.ts';
export { nodeTools, presentTool } from './workflows/node-tools.ts';
export { presentRejectedPublication, publishError, publishRequest } from './workflows/publication.ts';
export { presentListedSchedule, scheduleList, scheduleTimes, scheduleTimesRequest } from './workflows/schedule.ts';
export { presentTrashed, trashList, trashRestoreRequest } from './workflows/trash.ts';
export { presentUsage, usageQuery, workflowUsage } from './workflows/usage.ts';
export { presentIssue, presentValidation, validation } from './workflows/validation.ts';
export {
  presentVersion,
  presentVersionDetail,
  restoreConflict,
  restoreRequest,
  versionDetail,
  versionList,
} from './workflows/version.ts';
export {
  newWorkflow,
  presentDetail,
  presentGraph,
  presentWorkflow,
  type WorkflowDetailBody,
  workflow,
  workflowBatch,
  workflowChanges,
  workflowDetail,
  workflowList,
} from './workflows/workflow.ts';
