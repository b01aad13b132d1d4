import { Autocomplete } from '@base-ui/react/autocomplete';
import { ChevronsUpDown } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { type HandedFocus, takesFocus } from '../assistive/use-handed-focus.ts';
import { classes } from '../classes.ts';
import { inputClasses } from '../field.tsx';

/** One suggestion. */
export interface Suggestion {
  readonly value: string;
  /** What the value means. */
  readonly detail?: string;
}

export interface SuggestInputProps {
  readonly id: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  readonly placeholder?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
  /** Shown in the list if nothing matches. */
  readonly empty?: string;
  readonly onChange: (text: string) => void;
  readonly focus: HandedFocus;
}

/** The most suggestions that a list shows: a person who needs a later one types more of it. */
const maxShown = 60;

/** A text input with a list of suggestions. */
export function SuggestionList(props: SuggestInputProps) {
  const { id, value, suggestions, placeholder, describedBy, isInvalid = false, onChange, focus } = props;
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const element = input.current;
    if (element === null || !takesFocus(focus)) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [focus]);
  return (
    <Autocomplete.Root<Suggestion>
      items={suggestions}
      limit={maxShown}
      value={value}
      onValueChange={onChange}
      itemToStringValue={(item) => item.value}
      openOnInputClick
    >
      <Autocomplete.InputGroup className="relative">
        <Autocomplete.Input
          ref={input}
          id={id}
          className={classes(inputClasses, 'pr-8')}
          placeholder={placeholder}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          spellCheck={false}
        />
        <Autocomplete.Trigger
          aria-label="Show suggestions"
          className="absolute top-0.5 right-0.5 flex size-8 items-center justify-center text-muted"
        >
          <ChevronsUpDown size={14} aria-hidden="true" />
        </Autocomplete.Trigger>
      </Autocomplete.InputGroup>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50">
          <Autocomplete.Popup className="max-h-72 w-(--anchor-width) overflow-y-auto rounded-card border border-line bg-raised p-1 shadow-lg outline-none">
            <Autocomplete.Empty className="px-2 text-[13px] text-muted empty:hidden">{props.empty}</Autocomplete.Empty>
            <Autocomplete.List>
              {(item: Suggestion) => (
                <Autocomplete.Item
                  key={item.value}
                  value={item}
                  className="flex min-h-8 cursor-default flex-col justify-center rounded-control px-2 py-1 text-[13px] outline-none data-highlighted:bg-hover"
                >
                  {item.value}
                  {item.detail !== undefined && <span className="text-[12px] text-muted">{item.detail}</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
