import { Ellipsis } from 'lucide-react';

/** The button of the actions for a workflow: it looks the same before and after its menu is loaded. */
export function rowMenuTrigger(name: string) {
  return {
    'aria-label': `Actions for ${name}`,
    className:
      'inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink',
    children: <Ellipsis size={16} aria-hidden="true" />,
  };
}
