import { inputClasses, TextField } from '../ui/field.tsx';
import { type SchemaField, withField } from './schema-fields.ts';

interface PayloadFormProps {
  readonly fields: readonly SchemaField[];
  readonly payload: unknown;
  readonly onChange: (payload: unknown) => void;
}

/** The fields of a payload, from the input schema of the workflow. */
export function PayloadForm({ fields, payload, onChange }: PayloadFormProps) {
  const values = (typeof payload === 'object' && payload !== null ? payload : {}) as Readonly<Record<string, unknown>>;
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name]}
          onText={(text) => onChange(withField(payload, field, text))}
        />
      ))}
    </div>
  );
}

interface FormFieldProps {
  readonly field: SchemaField;
  readonly value: unknown;
  readonly onText: (text: string) => void;
}

function FormField({ field, value, onText }: FormFieldProps) {
  const label = field.isRequired ? `${field.name} (required)` : field.name;
  const text = value === undefined ? '' : String(value);
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  if (choices.length === 0) {
    const hint = field.description === '' ? {} : { hint: field.description };
    return (
      <TextField
        label={label}
        {...hint}
        value={text}
        inputMode={field.kind === 'number' ? 'decimal' : 'text'}
        onChange={({ target }) => onText(target.value)}
      />
    );
  }
  return (
    <label className="flex flex-col gap-1">
      <span className="font-medium text-[13px]">{label}</span>
      <select className={inputClasses} value={text} onChange={({ target }) => onText(target.value)}>
        <option value="">Not set</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}
