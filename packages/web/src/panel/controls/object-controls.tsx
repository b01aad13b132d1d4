import { useContext, useState } from 'react';
import { selectClasses } from '../../ui/field.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { asValues, type Values } from '../formats/values.ts';
import { optionText } from './choice-controls.tsx';
import type { ControlProps } from './control.ts';
import { FormContext } from './form-context.ts';

const frame = 'flex min-w-0 flex-col gap-4 border-line border-l-2 pl-3';

/** The keys of an object, indented. */
export function ObjectControl({ id, kind, path, value, onChange, describedBy }: ControlProps<'object'>) {
  const { Fields } = useContext(FormContext);
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className={frame}>
      <Fields
        fields={kind.fields}
        path={path}
        values={asValues(value)}
        onChange={(values) => onChange(Object.keys(values).length === 0 ? undefined : values)}
      />
    </fieldset>
  );
}

/** An object of one of several kinds. Keys that the kinds share stay when the kind changes. */
export function VariantsControl({ id, kind, path, value, onChange, input, describedBy }: ControlProps<'variants'>) {
  const { Fields } = useContext(FormContext);
  const { key, variants } = kind;
  const values = asValues(value);
  const chosen = variants.find((variant) => variant.value === values[key]);
  const [left, setLeft] = useState<Values>({});
  const choose = (next: string): void => {
    const variant = variants.find((one) => one.value === next);
    setLeft({ ...left, ...values });
    const names = new Set(variant?.fields.map((field) => field.key));
    const shared = Object.entries({ ...left, ...values }).filter(([name]) => names.has(name));
    input.choose(variant === undefined ? undefined : { [key]: next, ...Object.fromEntries(shared) });
  };
  return (
    <div className="flex flex-col gap-3">
      <select
        id={id}
        className={selectClasses}
        aria-describedby={describedBy}
        value={chosen?.value ?? ''}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">Not used</option>
        {variants.map((variant) => (
          <option key={variant.value} value={variant.value}>
            {optionText(variant.value)}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <div className={frame}>
          <p className="text-[12px] text-muted leading-4">
            <InlineCode text={chosen.description} />
          </p>
          <Fields
            fields={chosen.fields}
            path={path}
            values={values}
            onChange={(changed) => onChange({ ...changed, [key]: chosen.value })}
          />
        </div>
      )}
    </div>
  );
}
