import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import { durationText } from '../formats/duration.ts';
import { type ControlProps, placeholderOf } from './control.ts';

/** A number, with its unit beside it. */
export function NumberControl({ id, field, kind, input, describedBy, isInvalid }: ControlProps<'number'>) {
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
        value={input.text}
        onChange={({ target }) => input.type(target.value)}
      />
      {kind.unit !== null && <span className="text-[13px] text-muted">{kind.unit}</span>}
    </div>
  );
}

/** A length of time: `90`, `1m 30s`, `2 hours`. */
export function DurationControl({ id, field, kind, input, describedBy, isInvalid }: ControlProps<'duration'>) {
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
      value={input.text}
      onChange={({ target }) => input.type(target.value)}
    />
  );
}
