import { useEffect } from 'react';
import { FocusPlace, isPress } from './key-place.ts';
import { hasSingleKeys } from './single-keys.ts';
import { useCommandRegistry } from './use-commands.ts';

/** Runs commands by their keys. Only one component of a page does so. */
export function useCommandKeys(): void {
  const registry = useCommandRegistry();
  useEffect(() => {
    const places = new FocusPlace();
    const note = ({ target }: Event): void => places.note(target);
    const press = (event: KeyboardEvent): void => {
      const place = event.defaultPrevented || event.isComposing || isPress(event) ? null : places.of(event);
      const id = place && registry.pressed(event, place, hasSingleKeys());
      if (id === null) return;
      event.preventDefault();
      registry.run(id);
    };
    window.addEventListener('focusin', note);
    window.addEventListener('pointerdown', note, { capture: true });
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('focusin', note);
      window.removeEventListener('pointerdown', note, { capture: true });
      window.removeEventListener('keydown', press);
    };
  }, [registry]);
}
