/** Frames to wait for the form of a node that was selected just now: about a second. */
const maxFrames = 60;

/** Moves the focus to a field of the inspector, once its form is there. */
export function focusField(key: string, frame = 0): void {
  const field = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(key)}"]`);
  const input = field && inputIn(field);
  if (input) {
    field.scrollIntoView({ block: 'center' });
    input.focus();
    return;
  }
  if (frame < maxFrames) requestAnimationFrame(() => focusField(key, frame + 1));
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
