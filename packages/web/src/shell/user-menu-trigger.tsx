import { UserRound } from 'lucide-react';

/** The button of the menu of the user: it looks the same before and after its menu is loaded. */
export function userMenuTrigger(name: string | undefined) {
  return {
    className:
      'flex items-center gap-2.5 rounded-control px-2 py-1.5 text-muted hover:bg-hover hover:text-ink max-md:flex-col max-md:gap-0.5 max-md:text-[11px]',
    children: (
      <>
        <UserRound size={18} aria-hidden="true" />
        <span className="max-w-36 truncate">{name ?? 'Account'}</span>
      </>
    ),
  };
}
