import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import type { FieldKind } from '../fields/field.ts';
import { type ControlProps, placeholderOf, textOf } from './control.ts';
import { durationText, parseDuration } from './duration.ts';
import { type Reading, useDraftText } from './use-draft-text.ts';

/** A number, with its unit beside it. */
export function NumberControl(props: ControlProps<'number'>) {
  const { id, field, kind, value, describedBy, isInvalid } = props;
  const read = (text: string): Reading => readNumber(text, kind);
  const { text, change, leave } = useDraftText({ ...props, stored: textOf(value), read });
  return (
    <div className="flex items-center gap-2">
      <input
        id={id}
        type="text"
        inputMode={kind.isWhole ? 'numeric' : 'decimal'}
        className={classes(inputClasses, 'tabular-nums', kind.unit === null ? 'w-32' : 'w-28')}
        placeholder={placeholderOf(field)}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        value={text}
        onChange={({ target }) => change(target.value)}
        onBlur={leave}
      />
      {kind.unit !== null && <span className="text-[13px] text-muted">{kind.unit}</span>}
    </div>
  );
}

type NumberKind = Extract<FieldKind, { readonly kind: 'number' }>;

/** The number that a text means, or what it must be. */
function readNumber(text: string, { minimum, maximum, isWhole }: NumberKind): Reading {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return { problem: 'Must be a number.' };
  if (isWhole && !Number.isInteger(number)) return { problem: 'Must be a whole number.' };
  if (minimum !== null && number < minimum) return { problem: `Must be at least ${minimum}.` };
  if (maximum !== null && number > maximum) return { problem: `Must be at most ${maximum}.` };
  return { value: number };
}

/** A length of time: `90`, `1m 30s`, `2 hours`. */
export function DurationControl(props: ControlProps<'duration'>) {
  const { id, field, kind, value, describedBy, isInvalid } = props;
  const shown = typeof value === 'number' ? durationText(value, kind.unit) : textOf(value);
  const read = (text: string): Reading => {
    if (text.trim() === '') return { value: undefined };
    const parsed = parseDuration(text, kind.unit);
    return parsed === null ? { problem: 'Must be a duration, for example 90s, 5m or 1h 30m.' } : { value: parsed };
  };
  const { text, change, leave } = useDraftText({ ...props, stored: shown, read });
  const { defaultValue, example } = field;
  const suggested = [defaultValue, example].find((given) => typeof given === 'number');
  return (
    <input
      id={id}
      type="text"
      autoComplete="off"
      className={classes(inputClasses, 'w-40 tabular-nums')}
      placeholder={typeof suggested === 'number' ? durationText(suggested, kind.unit) : 'for example 5m'}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={text}
      onChange={({ target }) => change(target.value)}
      onBlur={leave}
    />
  );
}
