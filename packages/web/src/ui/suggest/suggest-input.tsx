import { lazy, Suspense } from 'react';
import { useHandedFocus } from '../assistive/use-handed-focus.ts';
import { inputClasses } from '../field.tsx';
import type { SuggestInputProps } from './suggestion-list.tsx';

const SuggestionList = lazy(async () => ({ default: (await import('./suggestion-list.tsx')).SuggestionList }));

/** A text input that suggests values, and accepts any other text. The list is loaded when the first one is shown. */
export function SuggestInput(props: Omit<SuggestInputProps, 'focus'>) {
  const { id, value, placeholder, describedBy, onChange } = props;
  const { focus, handlers } = useHandedFocus();
  const plain = (
    <input
      id={id}
      className={inputClasses}
      aria-describedby={describedBy}
      placeholder={placeholder}
      value={value}
      {...handlers}
      onChange={({ target }) => onChange(target.value)}
    />
  );
  return (
    <Suspense fallback={plain}>
      <SuggestionList {...props} focus={focus} />
    </Suspense>
  );
}
