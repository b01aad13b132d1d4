import { focusWhenThere } from '../ui/assistive/focus-when-there.ts';

const targets = {
  canvas: '[data-canvas]',
  outline: '[role="treegrid"] [tabindex="0"]',
  inspector: '[data-inspector] [role="tab"][aria-selected="true"]',
} as const;

/** Links to the parts of the editor, visible while they have the focus. */
export function SkipLinks({ shown }: { readonly shown: readonly (keyof typeof targets)[] }) {
  return shown.map((name) => (
    <a
      key={name}
      href={`#${name}`}
      className="sr-only z-50 rounded-control bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-60"
      onClick={(event) => {
        event.preventDefault();
        focusWhenThere(targets[name]);
      }}
    >
      Skip to {name}
    </a>
  ));
}
