/** The look of menus and of their items. */
export const menuPopupClasses =
  'min-w-44 rounded-card border border-line bg-raised p-1 shadow-lg outline-none origin-(--transform-origin)';
export const menuItemClasses =
  'flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 text-[13px] outline-none data-highlighted:bg-hover data-disabled:opacity-40';
