import {
  BookOpen,
  Bot,
  Braces,
  Brain,
  Calculator,
  CalendarClock,
  Code,
  Contact,
  Database,
  FileText,
  Funnel,
  Globe,
  History,
  Hourglass,
  type LucideIcon,
  Merge,
  MessageCircle,
  NotebookPen,
  Play,
  Plug,
  Repeat,
  Replace,
  Reply,
  Send,
  ShieldAlert,
  ShieldCheck,
  Sigma,
  Signpost,
  Siren,
  Split,
  SquareCode,
  StickyNote,
  Tags,
  TextSelect,
  UserCheck,
  Webhook,
  Workflow,
} from 'lucide-react';

/** The icons that the catalogue names. Importing each by name keeps the other 1,500 out of the bundle. */
const icons: Readonly<Record<string, LucideIcon>> = {
  'book-open': BookOpen,
  bot: Bot,
  braces: Braces,
  brain: Brain,
  calculator: Calculator,
  'calendar-clock': CalendarClock,
  code: Code,
  contact: Contact,
  database: Database,
  'file-text': FileText,
  funnel: Funnel,
  globe: Globe,
  history: History,
  hourglass: Hourglass,
  merge: Merge,
  'message-circle': MessageCircle,
  'notebook-pen': NotebookPen,
  play: Play,
  plug: Plug,
  repeat: Repeat,
  replace: Replace,
  reply: Reply,
  send: Send,
  'shield-alert': ShieldAlert,
  'shield-check': ShieldCheck,
  sigma: Sigma,
  signpost: Signpost,
  siren: Siren,
  split: Split,
  'square-code': SquareCode,
  'sticky-note': StickyNote,
  tags: Tags,
  'text-select': TextSelect,
  'user-check': UserCheck,
  webhook: Webhook,
  workflow: Workflow,
};

/** The icon of a node type. A name that is unknown here, from a newer service, gets a neutral one. */
export function iconOf(name: string): LucideIcon {
  return icons[name] ?? Workflow;
}

/** The colours of the categories: at least 4.5 : 1 on the surface in both themes. */
const colours: Readonly<Record<string, string>> = {
  Triggers: 'light-dark(#c2410c, #fb923c)',
  AI: 'light-dark(#7c3aed, #a78bfa)',
  Models: 'light-dark(#1d4ed8, #60a5fa)',
  Tools: 'light-dark(#047857, #34d399)',
  Memory: 'light-dark(#a16207, #facc15)',
  Logic: 'light-dark(#4338ca, #818cf8)',
  Flow: 'light-dark(#4338ca, #818cf8)',
  Data: 'light-dark(#475569, #94a3b8)',
  Output: 'light-dark(#0f766e, #2dd4bf)',
  'Sub-components': 'light-dark(#0f766e, #2dd4bf)',
};

/** The colour of a category; slate for one that has none. */
export function colourOf(category: string): string {
  return colours[category] ?? 'light-dark(#475569, #94a3b8)';
}
