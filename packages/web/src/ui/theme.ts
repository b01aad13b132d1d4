import { browserStorage } from '../storage/browser-storage.ts';

/** The colours of the pages; `system` follows the operating system. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const listeners = new Set<() => void>();

/** Calls a function when a theme is chosen. Returns a function that ends it. */
export function watchTheme(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

/** Also read by `public/theme.js`, which runs before the first paint. */
export function storedTheme(): Theme {
  const stored = browserStorage.setting('theme');
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Shows the pages in a theme, now and in later visits. */
export function chooseTheme(theme: Theme): void {
  browserStorage.setSetting('theme', theme === 'system' ? null : theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const changed of listeners) changed();
}
