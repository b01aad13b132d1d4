import { Menu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import { Activity, CircleX, Copy, Download, Settings, Terminal, Trash2, Zap } from 'lucide-react';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import type { WorkflowRow } from './list-rows.ts';
import { rowMenuTrigger } from './row-menu-trigger.tsx';

/** What the menu of a workflow does besides opening pages. */
export type RowAction = 'duplicate' | 'export' | 'copy-curl' | 'delete';

interface RowMenuProps {
  readonly row: WorkflowRow;
  readonly onAction: (action: RowAction) => void;
}

/** The actions for a workflow of the list. */
export function RowMenu({ row: { workflow, activity }, onAction }: RowMenuProps) {
  const { name } = workflow;
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger {...rowMenuTrigger(name)} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className={menuPopupClasses}>
            <PageItems slug={workflow.slug} failedId={activity?.last_failed_execution_id ?? null} />
            <Menu.Separator className="my-1 h-px bg-line" />
            {activity?.trigger_types.includes('trigger_webhook') === true && (
              <Menu.Item className={menuItemClasses} onClick={() => onAction('copy-curl')}>
                <Terminal size={14} aria-hidden="true" /> Copy webhook command
              </Menu.Item>
            )}
            <Menu.Item className={menuItemClasses} onClick={() => onAction('duplicate')}>
              <Copy size={14} aria-hidden="true" /> Duplicate
            </Menu.Item>
            <Menu.Item className={menuItemClasses} onClick={() => onAction('export')}>
              <Download size={14} aria-hidden="true" /> Export YAML
            </Menu.Item>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={`${menuItemClasses} text-danger`} onClick={() => onAction('delete')}>
              <Trash2 size={14} aria-hidden="true" /> Delete
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function PageItems({ slug, failedId }: { readonly slug: string; readonly failedId: string | null }) {
  return (
    <>
      <Menu.Item className={menuItemClasses} render={<Link to="/runs" search={{ workflow: slug }} />}>
        <Activity size={14} aria-hidden="true" /> Runs
      </Menu.Item>
      {failedId !== null && (
        <Menu.Item className={menuItemClasses} render={<Link to="/runs/$id" params={{ id: failedId }} />}>
          <CircleX size={14} aria-hidden="true" /> Last failed run
        </Menu.Item>
      )}
      <Menu.Item className={menuItemClasses} render={<Link to="/w/$slug/triggers" params={{ slug }} />}>
        <Zap size={14} aria-hidden="true" /> Triggers
      </Menu.Item>
      <Menu.Item className={menuItemClasses} render={<Link to="/w/$slug/settings" params={{ slug }} />}>
        <Settings size={14} aria-hidden="true" /> Settings
      </Menu.Item>
    </>
  );
}
