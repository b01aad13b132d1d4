import { Tabs } from '@base-ui/react/tabs';
import { Trash2, X } from 'lucide-react';
import { useMemo } from 'react';
import type { NodeType } from '../api/node-types.ts';
import type { GraphNode } from '../state/graph.ts';
import type { Perform } from '../state/use-graph-edit.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { type Field, fieldsOf } from './field.ts';
import { FieldEditor } from './field-editor.tsx';

const tabClasses =
  'h-9 border-transparent border-b-2 px-1 text-[13px] text-muted data-active:border-accent data-active:text-ink';

interface InspectorProps {
  readonly node: GraphNode;
  readonly type: NodeType | undefined;
  readonly perform: Perform;
  readonly onClose: () => void;
}

/** The selected node: its settings as a form that its component's schema describes, and its documentation. */
export function Inspector({ node, type, perform, onClose }: InspectorProps) {
  const fields = useMemo(() => fieldsOf(type?.config_schema ?? {}), [type]);
  const { node_id: nodeId } = node;
  const change = (key: string, value: unknown): void => {
    const changes = { config: { extra_config: { [key]: value } } } as never;
    perform(`Change ${key} of ${nodeId}`, [{ op: 'update_node', node_id: nodeId, changes }]);
  };
  return (
    <aside
      aria-label={`Settings of ${nodeId}`}
      className="flex flex-col border-line border-l bg-surface max-sm:absolute max-sm:inset-0 max-sm:z-10 sm:w-96 sm:shrink-0"
    >
      <header className="flex items-center gap-2 border-line border-b px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold text-[15px]">{node.label ?? nodeId}</h2>
          <p className="truncate text-[12px] text-muted">{type?.label ?? node.component_type}</p>
        </div>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </Button>
      </header>
      <Tabs.Root defaultValue="setup" className="flex min-h-0 flex-1 flex-col">
        <Tabs.List className="flex gap-4 border-line border-b px-4">
          <Tabs.Tab value="setup" className={tabClasses}>
            Setup
          </Tabs.Tab>
          <Tabs.Tab value="step" className={tabClasses}>
            Errors and retries
          </Tabs.Tab>
          <Tabs.Tab value="about" className={tabClasses}>
            About
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="setup" className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4">
          <NameFields node={node} perform={perform} />
          <FieldList fields={fields.own} node={node} onChange={change} />
        </Tabs.Panel>
        <Tabs.Panel value="step" className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4">
          {fields.policies.length === 0 && <p className="text-muted">This node performs no step of its own.</p>}
          <FieldList fields={fields.policies} node={node} onChange={change} />
        </Tabs.Panel>
        <Tabs.Panel value="about" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
          <p className="whitespace-pre-line">{type?.description}</p>
          <a href={`/docs/components/${node.component_type}/`} className="text-accent hover:underline">
            Full documentation
          </a>
        </Tabs.Panel>
      </Tabs.Root>
      <footer className="border-line border-t p-3">
        <Button
          kind="danger"
          icon={<Trash2 size={15} aria-hidden="true" />}
          onClick={() => {
            perform(`Delete ${nodeId}`, [{ op: 'delete_node', node_id: nodeId }]);
            onClose();
          }}
        >
          Delete node
        </Button>
      </footer>
    </aside>
  );
}

function NameFields({ node, perform }: Pick<InspectorProps, 'node' | 'perform'>) {
  const { node_id: nodeId, label } = node;
  return (
    <TextField
      key={label}
      label="Label"
      defaultValue={label ?? ''}
      placeholder={nodeId}
      hint={`Expressions name this node ${nodeId}.`}
      onBlur={({ target }) => {
        const text = target.value.trim();
        if (text === (label ?? '')) return;
        const changes = { label: text === '' ? null : text };
        perform(`Name ${nodeId}`, [{ op: 'update_node', node_id: nodeId, changes }]);
      }}
    />
  );
}

interface FieldListProps {
  readonly fields: readonly Field[];
  readonly node: GraphNode;
  readonly onChange: (key: string, value: unknown) => void;
}

function FieldList({ fields, node, onChange }: FieldListProps) {
  const extra = node.config.extra_config as Readonly<Record<string, unknown>>;
  return fields.map((field) => (
    <FieldEditor
      key={field.key}
      field={field}
      value={extra[field.key]}
      onChange={(value) => onChange(field.key, value)}
    />
  ));
}
