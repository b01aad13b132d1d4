import { Tabs } from '@base-ui/react/tabs';
import { Trash2, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { NodeType } from '../api/node-types.ts';
import { preloadCodeEditor } from '../code/code-field.tsx';
import { type FieldRequest, keyIn } from '../state/fields/field-request.ts';
import type { GraphNode } from '../state/graph.ts';
import { slotsOf } from '../state/slots.ts';
import type { OpenDraft, Perform } from '../state/use-draft.ts';
import { focusWhenThere } from '../ui/assistive/focus-when-there.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { tabClasses } from '../ui/tabs.ts';
import { Connections } from './connections.tsx';
import { useExpressionNames } from './expression/use-expression-names.ts';
import { type NodeFields, nodeFieldsOf, valuesOf } from './fields/node-fields.ts';
import { dividedChanges } from './form/edit-field.ts';
import { NodeForm } from './form/node-form.tsx';
import { useFormEdits } from './form/use-form-edits.ts';
import { NodeData } from './node-data.tsx';
import { NodeDocs } from './node-docs.tsx';
import { OfferedTools } from './offered-tools.tsx';
import { focusField } from './problems/focus-field.ts';
import { type SlotOfNode, Slots } from './slots.tsx';
import { noRoles, useOfferedTools } from './use-offered-tools.ts';
import { useShownExecution } from './use-shown-execution.ts';

const panelClasses = 'flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4';

interface InspectorProps {
  readonly slug: string;
  readonly draft: Pick<OpenDraft, 'graph' | 'fields' | 'contest'>;
  readonly node: GraphNode;
  readonly type: NodeType | undefined;
  /** The field that gets the focus. */
  readonly request: FieldRequest | null;
  readonly perform: Perform;
  readonly onClose: () => void;
  readonly onSelect: (nodeId: string) => void;
  /** Opens the list of node types that fit a slot of the node. */
  readonly onAdd: (request: { readonly from: SlotOfNode }) => void;
}

/** The selected node: its settings as a form that its component's schema describes, and its documentation. */
export function Inspector(props: InspectorProps) {
  const { slug, draft, node, type, request, perform, onClose, onSelect, onAdd } = props;
  const { graph, contest } = draft;
  const { node_id: nodeId } = node;
  const fields = useMemo(() => nodeFieldsOf(type, nodeId), [type, nodeId]);
  const slots = slotsOf(graph, nodeId, type);
  // It has no values and no connections.
  const isNote = type?.category === 'Canvas';
  const offer = useOfferedTools(slug, node, { graph, type });
  const execution = useShownExecution(slug);
  const names = useExpressionNames(slug, graph, nodeId);
  const inserter = useRef<((path: string) => void) | null>(null);
  const [tab, setTab] = useTab(fields, request);
  useEffect(preloadCodeEditor, []);
  const leave = (event: KeyboardEvent): void => {
    // A menu or a list that is open over the panel closes first; its key events come from elsewhere.
    if (event.key !== 'Escape' || event.defaultPrevented || !event.currentTarget.contains(event.target as Node)) return;
    event.preventDefault();
    focusWhenThere('[data-canvas], [role="treegrid"] [tabindex="0"]');
  };
  const drafts = draft.fields.of(node);
  const form = useFormEdits(drafts, node, (edits) => {
    const all = [...fields.setup, ...fields.settings];
    const stored = valuesOf(node, all, new Map());
    const { free, contested } = dividedChanges(edits, drafts, { fields: all, stored });
    const pass = (part: typeof free, act: Perform): void => {
      if (part === null) return;
      const operation = { op: 'update_node', node_id: nodeId, changes: part.changes as never } as const;
      act(`Change ${part.names} of ${nodeId}`, [operation], `${nodeId} ${part.paths.join(' ')}`);
    };
    pass(free, perform);
    pass(contested, contest);
    return contested?.paths ?? [];
  });
  return (
    <aside
      data-inspector
      onKeyDown={leave}
      aria-label={`Settings of ${nodeId}`}
      className="flex flex-col border-line border-l bg-surface max-sm:absolute max-sm:inset-0 max-sm:z-10 sm:w-96 sm:shrink-0"
    >
      <header className="flex items-center gap-2 px-4 pt-3 pb-1">
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold text-[15px]">{node.label ?? nodeId}</h2>
          <p className="truncate text-[12px] text-muted">{type?.label ?? node.component_type}</p>
        </div>
        <IconButton
          label="Delete node"
          icon={<Trash2 size={15} aria-hidden="true" />}
          onClick={() => {
            perform(`Delete ${nodeId}`, [{ op: 'delete_node', node_id: nodeId }]);
            onClose();
          }}
        />
        <IconButton label="Close" icon={<X size={16} aria-hidden="true" />} onClick={onClose} />
      </header>
      <Tabs.Root value={tab} onValueChange={setTab} className="flex min-h-0 flex-1 flex-col">
        <Tabs.List className="flex gap-4 border-line border-b px-4">
          <Tabs.Tab value="setup" className={tabClasses}>
            Setup
          </Tabs.Tab>
          {!isNote && <DataTabs />}
          {fields.settings.length > 0 && (
            <Tabs.Tab value="settings" className={tabClasses}>
              Settings
            </Tabs.Tab>
          )}
          <Tabs.Tab value="docs" className={tabClasses}>
            Docs
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="setup" className={panelClasses}>
          <NodeForm
            {...{ slug, node, names, inserter, drafts, fields: fields.setup, request, roles: offer.roles, ...form }}
          />
          {offer.isTool && <OfferedTools offer={offer} />}
          {slots.length > 0 && <Slots {...{ nodeId, slots, perform, onSelect, onAdd }} />}
          {!isNote && <Connections nodeId={nodeId} graph={graph} perform={perform} />}
        </Tabs.Panel>
        <Tabs.Panel value="input" className={panelClasses}>
          <NodeData nodeId={nodeId} execution={execution} kind="input" />
        </Tabs.Panel>
        <Tabs.Panel value="output" className={panelClasses}>
          <NodeData nodeId={nodeId} execution={execution} kind="output" />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={panelClasses}>
          <NodeForm
            {...{ slug, node, names, inserter, drafts, fields: fields.settings, request, roles: noRoles, ...form }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="docs" className={panelClasses}>
          {type !== undefined && <NodeDocs type={type} />}
        </Tabs.Panel>
      </Tabs.Root>
    </aside>
  );
}

/** The open tab. A field that is asked for opens its own one and gets the focus. */
function useTab(fields: NodeFields, request: FieldRequest | null) {
  const [tab, setTab] = useState('setup');
  useEffect(() => {
    if (request === null) return;
    setTab(fields.settings.some(({ key }) => key === keyIn(request)) ? 'settings' : 'setup');
    focusField(request.path);
  }, [fields, request]);
  return [tab, setTab] as const;
}

function DataTabs() {
  return (
    <>
      <Tabs.Tab value="input" className={tabClasses}>
        Input
      </Tabs.Tab>
      <Tabs.Tab value="output" className={tabClasses}>
        Output
      </Tabs.Tab>
    </>
  );
}
