import { ChevronDown } from 'lucide-react';
import { buttonClasses } from '../ui/button.tsx';

/** The button beside Run: it looks the same before and after its menu is loaded. */
export const runMenuTrigger = {
  'aria-label': 'More ways to run',
  className: `${buttonClasses('primary')} rounded-l-none border-l-on-accent/30 px-1.5`,
  children: <ChevronDown size={15} aria-hidden="true" />,
} as const;
