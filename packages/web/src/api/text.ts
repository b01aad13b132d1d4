import { answerOf, type Schemas } from '@millrace/client';
import { client } from './client.ts';

/** What a text would make of a workflow. */
export type TextReading = Schemas['WorkflowTextReading'];

/** The text of a workflow with the comments of its editors, or the exported one. */
export function workflowText(slug: string): Promise<Schemas['SavedWorkflowText']> {
  return answerOf(client.GET('/api/v1/workflows/{slug}/text/', { params: { path: { slug } } }));
}

/** Saves the text with its comments; the workflow does not change. */
export function saveWorkflowText(slug: string, yaml: string): Promise<Schemas['SavedWorkflowText']> {
  return answerOf(
    client.PUT('/api/v1/workflows/{slug}/text/', { params: { path: { slug } }, body: { yaml_str: yaml } }),
  );
}

/** What a text would make of a workflow. Stores nothing. */
export function readWorkflowText(slug: string, yaml: string): Promise<TextReading> {
  return answerOf(
    client.POST('/api/v1/workflows/{slug}/text/read/', { params: { path: { slug } }, body: { yaml_str: yaml } }),
  );
}

/** The canonical text of a workflow. */
export async function exportedText(slug: string): Promise<string> {
  const { yaml_str: text } = await answerOf(
    client.GET('/api/v1/workflows/{slug}/export/', { params: { path: { slug } } }),
  );
  return text;
}
