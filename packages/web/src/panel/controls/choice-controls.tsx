import { useId } from 'react';
import { classes } from '../../ui/classes.ts';
import { inputClasses, selectClasses } from '../../ui/field.tsx';
import { SuggestInput } from '../../ui/suggest/suggest-input.tsx';
import { countRules } from '../formats/field-rules.ts';
import { asList, asValues, textOf } from '../formats/values.ts';
import type { ControlProps } from './control.ts';
import { useFieldInput } from './use-field-input.ts';

/** So many options are shown at once; more open a list. */
const maxRadios = 4;
/** A longer list is searched by typing. */
const maxListed = 12;

/** `Last node` for `last_node`; names in capitals stay. */
export function optionText(option: string): string {
  const text = option.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One of several options. */
export function ChoiceControl(props: ControlProps<'choice'>) {
  const { id, field, kind, value, input, describedBy, isInvalid } = props;
  const { options } = kind;
  const chosen = textOf(value ?? field.defaultValue);
  if (options.length <= maxRadios && options.join('').length <= 36)
    return <Radios {...{ id, options, chosen, describedBy }} onChoose={input.choose} />;
  if (options.length > maxListed) {
    return (
      <SuggestInput
        {...{ id, describedBy, isInvalid }}
        value={input.text}
        placeholder={textOf(field.defaultValue)}
        suggestions={options.map((option) => ({ value: option }))}
        onChange={input.type}
      />
    );
  }
  return (
    <select
      id={id}
      className={selectClasses}
      aria-describedby={describedBy}
      value={chosen}
      onChange={({ target }) => input.choose(target.value === '' ? undefined : target.value)}
    >
      {field.defaultValue === undefined && <option value="">Not set</option>}
      {options.map((option) => (
        <option key={option} value={option}>
          {optionText(option)}
        </option>
      ))}
    </select>
  );
}

interface RadiosProps {
  readonly id: string;
  readonly options: readonly string[];
  readonly chosen: string;
  readonly describedBy: string | undefined;
  readonly onChoose: (option: string) => void;
}

/** Options beside each other, of which one is chosen. */
export function Radios({ id, options, chosen, describedBy, onChoose }: RadiosProps) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={describedBy}
      className="flex flex-wrap rounded-control border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <label
          key={option}
          className={classes(
            'relative flex min-h-7 flex-1 cursor-pointer items-center justify-center whitespace-nowrap rounded-[4px] px-2 text-[13px]',
            'has-focus-visible:outline-2 has-focus-visible:outline-accent',
            option === chosen ? 'bg-raised font-medium text-ink shadow-sm' : 'text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            className="absolute inset-0 cursor-pointer opacity-0"
            checked={option === chosen}
            onChange={() => onChoose(option)}
          />
          {optionText(option)}
        </label>
      ))}
    </div>
  );
}

/** Several of a few options. */
export function ChoicesControl({ id, field, kind, value, input, describedBy }: ControlProps<'choices'>) {
  const chosen = new Set(asList(value ?? field.defaultValue));
  const toggle = (option: string): void => {
    const next = kind.options.filter((one) => (one === option ? !chosen.has(one) : chosen.has(one)));
    input.choose(next.length === 0 ? undefined : next);
  };
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex flex-wrap gap-1.5">
      {kind.options.map((option) => (
        <label
          key={option}
          className={classes(
            'relative flex min-h-7 cursor-pointer items-center gap-1.5 rounded-control border px-2 text-[13px]',
            'has-focus-visible:outline-2 has-focus-visible:outline-accent',
            chosen.has(option) ? 'border-accent bg-accent-soft text-ink' : 'border-line-strong text-muted',
          )}
        >
          <input
            type="checkbox"
            className="size-3.5 accent-accent"
            checked={chosen.has(option)}
            onChange={() => toggle(option)}
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}

/** Yes or no. */
export function BooleanControl({ id, field, value, input, describedBy }: ControlProps<'boolean'>) {
  return (
    <input
      id={id}
      type="checkbox"
      className="switch"
      aria-describedby={describedBy}
      checked={(value ?? field.defaultValue) === true}
      onChange={({ target }) => input.choose(target.checked)}
    />
  );
}

/** One of the options, or a number of one's own. */
export function ChoiceOrCountControl(props: ControlProps<'choice-or-count'>) {
  const { id, kind, path, value, onChange, input, describedBy } = props;
  const { options, countKey } = kind;
  const count = asValues(value)[countKey];
  const number = useFieldInput({
    path: `${path}.${countKey}`,
    rules: countRules,
    value: count,
    onChange: (next) => onChange(next === undefined ? undefined : { [countKey]: next }),
  });
  // An undo, or somebody else, may remove the count whose text cannot be stored.
  const hasCount = count !== undefined || number.problem !== null;
  const chosen = hasCount ? countKey : textOf(value);
  return (
    <div className="flex items-center gap-2">
      <select
        id={id}
        className={classes(selectClasses, 'flex-1')}
        aria-describedby={describedBy}
        value={chosen}
        onChange={({ target }) => {
          const next = target.value === '' ? undefined : target.value;
          input.choose(next === countKey ? { [countKey]: 1 } : next);
        }}
      >
        <option value="">Not set</option>
        {[...options, countKey].map((option) => (
          <option key={option} value={option}>
            {optionText(option)}
          </option>
        ))}
      </select>
      {hasCount && (
        <input
          type="text"
          inputMode="numeric"
          aria-label={optionText(countKey)}
          aria-invalid={number.problem !== null}
          className={classes(inputClasses, 'w-20')}
          value={number.text}
          onChange={({ target }) => number.type(target.value)}
          onBlur={number.leave}
        />
      )}
    </div>
  );
}
