import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { usePageTitle } from '../ui/assistive/page-title.tsx';

/** The name of the workflow, and the way back to the list. */
export function EditorTitle({ name }: { readonly name: string }) {
  usePageTitle(name);
  return (
    <>
      <Link
        to="/workflows"
        aria-label="All workflows"
        className="flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover"
      >
        <ChevronLeft size={18} aria-hidden="true" />
      </Link>
      <h1 className="min-w-24 flex-1 truncate font-semibold text-[16px]">{name}</h1>
    </>
  );
}
