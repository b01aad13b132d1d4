import { useId } from 'react';
import type { CredentialType } from '../api/credentials.ts';
import { classes } from '../ui/classes.ts';
import { inputClasses, selectClasses } from '../ui/field.tsx';
import { type CredentialField, isSecret, keyOf } from './fields.ts';
import { type FormValues, shownFields, valueAt } from './form.ts';
import { SecretInput } from './secret-input.tsx';

interface CredentialFormProps {
  readonly type: CredentialType;
  /** The masked detail of the stored credential; null for a new one. */
  readonly stored: Readonly<Record<string, unknown>> | null;
  readonly values: FormValues;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (values: FormValues) => void;
}

/** The fields of one type of credentials. */
export function CredentialForm({ type, stored, values, problems, onChange }: CredentialFormProps) {
  return shownFields(type, values).map((field) => {
    const key = keyOf(field);
    const set = (text: string | undefined): void => {
      const { [key]: _before, ...others } = values;
      onChange(text === undefined ? others : { ...others, [key]: text });
    };
    return (
      <FieldRow
        key={key}
        field={field}
        mask={maskOf(field, stored)}
        value={values[key]}
        problem={problems[key] ?? null}
        onChange={set}
      />
    );
  });
}

function maskOf(field: CredentialField, stored: CredentialFormProps['stored']): string | null {
  const value = stored === null ? undefined : valueAt(stored, field.path);
  return isSecret(field) && typeof value === 'string' && value !== '' ? value : null;
}

interface FieldRowProps {
  readonly field: CredentialField;
  readonly mask: string | null;
  readonly value: string | undefined;
  readonly problem: string | null;
  readonly onChange: (value: string | undefined) => void;
}

function FieldRow({ field, mask, value, problem, onChange }: FieldRowProps) {
  const id = useId();
  const described = [field.hint !== undefined && `${id}-hint`, problem !== null && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const describedBy = described === '' ? undefined : described;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-[13px]">
        {field.label}
      </label>
      {isSecret(field) ? (
        <SecretInput
          {...{ id, mask, value, describedBy, onChange }}
          label={field.label}
          isMultiline={field.kind === 'private_key'}
          isInvalid={problem !== null}
        />
      ) : (
        <PlainInput {...{ id, field, describedBy, onChange }} value={value ?? ''} isInvalid={problem !== null} />
      )}
      {field.hint !== undefined && (
        <p id={`${id}-hint`} className="text-[12px] text-muted leading-4">
          {field.hint}
        </p>
      )}
      {problem !== null && (
        <p id={`${id}-error`} className="text-[12px] text-danger leading-4">
          {problem}
        </p>
      )}
    </div>
  );
}

interface PlainInputProps {
  readonly id: string;
  readonly field: CredentialField;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly onChange: (value: string) => void;
}

function PlainInput({ id, field, value, isInvalid, describedBy, onChange }: PlainInputProps) {
  const { kind, choices = [], placeholder } = field;
  const shared = { id, value, placeholder, 'aria-invalid': isInvalid, 'aria-describedby': describedBy } as const;
  if (kind === 'choice') {
    return (
      <select
        id={id}
        value={value}
        aria-describedby={describedBy}
        className={selectClasses}
        onChange={({ target }) => onChange(target.value)}
      >
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'headers' || kind === 'json') {
    return (
      <textarea
        {...shared}
        rows={kind === 'json' ? 6 : 2}
        spellCheck={false}
        className={classes(inputClasses, 'h-auto py-2 font-mono text-[12px]')}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <input {...shared} autoComplete="off" className={inputClasses} onChange={({ target }) => onChange(target.value)} />
  );
}
