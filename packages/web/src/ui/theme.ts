/** The colours of the pages; `system` follows the operating system. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Also read by `public/theme.js`, which runs before the first paint. */
const key = 'millrace.theme';

const listeners = new Set<() => void>();

/** Calls a function when a theme is chosen. Returns a function that ends it. */
export function watchTheme(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Shows the pages in a theme, now and in later visits. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const changed of listeners) changed();
}
