import { useState } from 'react';
import { chooseTheme, storedTheme, type Theme, themes } from '../ui/theme.ts';
import { Section } from './section.tsx';

const names: Readonly<Record<Theme, string>> = { system: 'Like the system', light: 'Light', dark: 'Dark' };

/** The look of the app in this browser. */
export function AppearanceSettings() {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <Section title="Appearance" description="Applies to this browser.">
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium text-[13px]">Theme</legend>
        {themes.map((name) => (
          <label key={name} className="inline-flex min-h-6 items-center gap-2 text-[13px]">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-accent"
              checked={theme === name}
              onChange={() => {
                chooseTheme(name);
                setTheme(name);
              }}
            />
            {names[name]}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
