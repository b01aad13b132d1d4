import type { StoredTexts } from '../../storage/user-texts.ts';
import type { FieldStorage } from './field-drafts.ts';

/** The prefix of the names of what is typed into the fields of a workflow. */
export function fieldsPrefix(workflowId: number): string {
  return `fields.${workflowId}.`;
}

/**
 * Keeps in the browser what cannot be stored on the service.
 * @param tab the same after a reload of the tab, and different in each tab
 */
export function localFields(
  texts: Omit<StoredTexts, 'names'>,
  { workflowId, tab }: { readonly workflowId: number; readonly tab: string },
): FieldStorage {
  const name = `${fieldsPrefix(workflowId)}${tab}`;
  return {
    load: () => {
      const stored = JSON.parse(texts.getItem(name) ?? 'null') as StoredFields | null;
      return stored?.format === 1 ? stored.nodes : [];
    },
    save: (nodes) => {
      if (nodes.length === 0) return texts.removeItem(name);
      try {
        texts.setItem(name, JSON.stringify({ format: 1, nodes } satisfies StoredFields));
      } catch {
        // The browser has no room. What is typed stays on this page.
      }
    },
  };
}

interface StoredFields {
  /** Changes of this format get a new number; texts of another format are not read. */
  readonly format: 1;
  readonly nodes: ReturnType<FieldStorage['load']>;
}
