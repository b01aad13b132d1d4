/** Frames to wait for the form of a node that was selected just now: about a second. */
const maxFrames = 60;

/** Moves the focus to a field of the inspector, or to the one around it, once its form is there. */
export function focusField(path: string, frame = 0): void {
  const isLast = frame === maxFrames;
  const input = inputAt(path) ?? (isLast ? outerInput(path) : null);
  if (input !== null) {
    input.scrollIntoView({ block: 'center' });
    input.focus();
  } else if (!isLast) requestAnimationFrame(() => focusField(path, frame + 1));
}

function inputAt(path: string): HTMLElement | null {
  const field = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
  return field && inputIn(field);
}

/** An item of a list may have no field of its own. */
function outerInput(path: string): HTMLElement | null {
  const outer = path.replace(/(\.[^.[]*|\[[^.[]*)$/, '');
  return outer === path ? null : (inputAt(outer) ?? outerInput(outer));
}

/** The element that is typed into; else one that chooses a value. */
function inputIn(field: HTMLElement): HTMLElement | null {
  let choice: HTMLElement | null = null;
  for (const element of field.querySelectorAll<HTMLElement>('*')) {
    const inner = element.shadowRoot?.querySelector<HTMLElement>('.cm-content');
    if (inner) return inner;
    if (element.matches('input[type="radio"]')) choice ??= element;
    else if (element.matches('input, textarea, select')) return element;
  }
  return choice;
}
