import {
  CalendarClock,
  GitBranch,
  type LucideIcon,
  MessageCircle,
  MousePointerClick,
  Siren,
  Webhook,
  Workflow,
  Zap,
} from 'lucide-react';

/** The types of triggers, with their names. */
const looks: Readonly<Record<string, { readonly Icon: LucideIcon; readonly name: string }>> = {
  trigger_manual: { Icon: MousePointerClick, name: 'Manual' },
  trigger_webhook: { Icon: Webhook, name: 'Webhook' },
  trigger_git: { Icon: GitBranch, name: 'Git' },
  trigger_schedule: { Icon: CalendarClock, name: 'Schedule' },
  trigger_chat: { Icon: MessageCircle, name: 'Chat' },
  trigger_error: { Icon: Siren, name: 'Errors of other workflows' },
  trigger_workflow: { Icon: Workflow, name: 'Other workflows' },
};

/** What starts a workflow, as icons with names. */
export function TriggerIcons({ types }: { readonly types: readonly string[] }) {
  return (
    <ul aria-label="Triggers" className="flex gap-2 text-muted">
      {types.map((type) => {
        const { Icon, name } = looks[type] ?? { Icon: Zap, name: type };
        return (
          <li key={type} title={name}>
            <Icon size={16} aria-hidden="true" />
            <span className="sr-only">{name}</span>
          </li>
        );
      })}
    </ul>
  );
}
