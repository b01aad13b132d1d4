/** The look of a list of tabs and of its tabs. */
export const tabListClasses = 'flex shrink-0 gap-4 overflow-x-auto border-line border-b';
export const tabClasses =
  'inline-flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-1 text-[13px] text-muted outline-offset-[-2px] forced-colors:border-[Canvas] data-active:border-accent data-active:text-ink forced-colors:data-active:border-[Highlight]';
