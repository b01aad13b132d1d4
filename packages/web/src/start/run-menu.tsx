import { Menu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import { Braces, CircleDot, FastForward, History, MessageSquare, Play, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import { keysOf } from '../commands/use-commands.ts';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import { runMenuTrigger } from './run-menu-trigger.tsx';

interface RunMenuProps {
  readonly slug: string;
  readonly isDisabled: boolean;
  readonly hasChat: boolean;
  readonly onRun: () => void;
  readonly onPayload: () => void;
  /** Null if no payload was sent from this browser yet. */
  readonly onLast: (() => void) | null;
  /** Null without a webhook. */
  readonly onListen: (() => void) | null;
  /** The selected node, if runs lead to it. */
  readonly node: { readonly name: string; readonly onRunTo: () => void; readonly onRunOnly: () => void } | null;
}

/** The ways to run a workflow besides running all of it with its default payload. */
export function RunMenu({ slug, isDisabled, hasChat, onRun, onPayload, onLast, onListen, node }: RunMenuProps) {
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger disabled={isDisabled} {...runMenuTrigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-30">
          <Menu.Popup className={`${menuPopupClasses} w-72`}>
            <Item icon={<Play size={14} aria-hidden="true" />} onPick={onRun} hint={keysOf('run.start')}>
              Run
            </Item>
            <Item icon={<Braces size={14} aria-hidden="true" />} onPick={onPayload}>
              Run with payload…
            </Item>
            {onLast !== null && (
              <Item icon={<History size={14} aria-hidden="true" />} onPick={onLast}>
                Run with the last payload
              </Item>
            )}
            {node !== null && (
              <>
                <Item
                  icon={<FastForward size={14} aria-hidden="true" />}
                  onPick={node.onRunTo}
                  hint={keysOf('run.toNode')}
                >
                  Run to {node.name}
                </Item>
                <Item icon={<CircleDot size={14} aria-hidden="true" />} onPick={node.onRunOnly}>
                  Run only {node.name}
                </Item>
              </>
            )}
            {onListen !== null && (
              <Item icon={<Radio size={14} aria-hidden="true" />} onPick={onListen}>
                Listen for one webhook call
              </Item>
            )}
            {hasChat && (
              <Menu.Item className={menuItemClasses} render={<Link to="/w/$slug/chat" params={{ slug }} />}>
                <MessageSquare size={14} aria-hidden="true" />
                <span className="flex-1">Open chat</span>
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface ItemProps {
  readonly icon: ReactNode;
  readonly hint?: string | null;
  readonly onPick: () => void;
  readonly children: ReactNode;
}

function Item({ icon, hint, onPick, children }: ItemProps) {
  return (
    <Menu.Item className={menuItemClasses} onClick={onPick}>
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint != null && <kbd className="font-sans text-[11px] text-muted">{hint}</kbd>}
    </Menu.Item>
  );
}
