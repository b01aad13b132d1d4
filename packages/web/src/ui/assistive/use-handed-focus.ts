import { useMemo } from 'react';

/** Whether a plain field has the focus, for the field that replaces it. */
export interface HandedFocus {
  current: boolean;
}

/**
 * The focus of a plain field that is replaced as soon as the code of a better one is loaded. Keys pressed before and
 * after belong to the same field, so the better one takes the focus if the plain one had it.
 */
export function useHandedFocus(hasFocus = false) {
  return useMemo(() => {
    const focus: HandedFocus = { current: hasFocus };
    const onFocus = (): void => {
      focus.current = true;
    };
    const onBlur = (): void => {
      focus.current = false;
    };
    return { focus, handlers: { onFocus, onBlur } };
  }, [hasFocus]);
}

/** Whether the focus is handed over. It is handed over once. */
export function takesFocus(focus: HandedFocus): boolean {
  const { current } = focus;
  focus.current = false;
  return current;
}
