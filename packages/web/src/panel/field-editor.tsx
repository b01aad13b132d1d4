import { type ReactNode, useId, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import type { Field } from './field.ts';

interface FieldEditorProps {
  readonly field: Field;
  /** Undefined if the config does not contain the key. */
  readonly value: unknown;
  /** Called with null to remove the key. */
  readonly onChange: (value: unknown) => void;
}

/** The editor of one key of a config. It publishes a change when the person leaves the field. */
export function FieldEditor({ field, value, onChange }: FieldEditorProps) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const { label, description, isRequired, defaultValue } = field;
  const isText = typeof value === 'string' && value.includes('{{');
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline gap-2">
        <label htmlFor={id} className="font-medium text-[13px]">
          {label}
          {isRequired && <span className="text-muted"> (required)</span>}
        </label>
        {value !== undefined && defaultValue !== undefined && (
          <button
            type="button"
            className="ml-auto text-[12px] text-accent hover:underline"
            onClick={() => onChange(null)}
          >
            Reset
          </button>
        )}
      </div>
      <Control id={id} {...{ field, value, isText, onChange, setProblem }} />
      {problem !== null && (
        <p role="alert" className="text-[12px] text-danger">
          {problem}
        </p>
      )}
      {description !== '' && <p className="text-[12px] text-muted leading-4">{description}</p>}
    </div>
  );
}

interface ControlProps extends FieldEditorProps {
  readonly id: string;
  /** Whether the value is text with an expression, whatever the field otherwise takes. */
  readonly isText: boolean;
  readonly setProblem: (problem: string | null) => void;
}

function Control({ id, field, value, isText, onChange, setProblem }: ControlProps): ReactNode {
  const kind = isText && field.takesExpression ? 'text' : field.field.kind;
  const placeholder = textOf(field.defaultValue ?? field.example);
  switch (kind) {
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          className="size-4 accent-accent"
          checked={(value ?? field.defaultValue) === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case 'choice':
      return <Choice {...{ id, field, value, onChange }} />;
    case 'text':
      return (
        <TextArea
          {...{ id, value: textOf(value), placeholder, rows: rowsOf(field) }}
          onCommit={(text) => onChange(text === '' ? null : text)}
        />
      );
    case 'number':
      return (
        <TextArea
          {...{ id, value: textOf(value), placeholder, rows: 1 }}
          onCommit={(text) => commitNumber(text, field, onChange, setProblem)}
        />
      );
    case 'json':
      return (
        <TextArea
          {...{
            id,
            value: value === undefined ? '' : JSON.stringify(value, null, 2),
            placeholder,
            rows: 4,
            isCode: true,
          }}
          onCommit={(text) => commitJson(text, field, onChange, setProblem)}
        />
      );
  }
}

function Choice({ id, field, value, onChange }: FieldEditorProps & { readonly id: string }) {
  const options = field.field.kind === 'choice' ? field.field.options : [];
  return (
    <select
      id={id}
      className={inputClasses}
      value={textOf(value ?? field.defaultValue)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      {field.defaultValue === undefined && <option value="">–</option>}
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

interface TextAreaProps {
  readonly id: string;
  readonly value: string;
  readonly placeholder: string;
  readonly rows: number;
  readonly isCode?: boolean;
  readonly onCommit: (text: string) => void;
}

/** A text that is published when the person leaves it, and not at each key: each change is a version of the graph. */
function TextArea({ id, value, placeholder, rows, isCode = false, onCommit }: TextAreaProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = (): void => {
    if (draft !== null && draft !== value) onCommit(draft);
    setDraft(null);
  };
  return (
    <textarea
      id={id}
      rows={rows}
      placeholder={placeholder}
      spellCheck={false}
      className={classes(inputClasses, 'h-auto min-h-9 resize-y py-1.5', isCode && 'font-mono text-[12px]')}
      value={draft ?? value}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={commit}
    />
  );
}

function rowsOf({ field }: Field): number {
  return field.kind === 'text' && field.isLong ? 5 : 1;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Commit = (
  text: string,
  field: Field,
  onChange: (value: unknown) => void,
  setProblem: (text: string | null) => void,
) => void;

const commitNumber: Commit = (text, { takesExpression }, onChange, setProblem) => {
  const trimmed = text.trim();
  const number = Number(trimmed);
  const isExpression = takesExpression && trimmed.includes('{{');
  if (trimmed !== '' && !isExpression && Number.isNaN(number)) {
    setProblem(takesExpression ? 'Must be a number or an expression.' : 'Must be a number.');
    return;
  }
  setProblem(null);
  if (trimmed === '') onChange(null);
  else onChange(isExpression ? trimmed : number);
};

const commitJson: Commit = (text, { takesExpression }, onChange, setProblem) => {
  const trimmed = text.trim();
  if (trimmed === '' || (takesExpression && /^\{\{[\s\S]*\}\}$/.test(trimmed))) {
    setProblem(null);
    onChange(trimmed === '' ? null : trimmed);
    return;
  }
  try {
    onChange(JSON.parse(trimmed));
    setProblem(null);
  } catch (error) {
    setProblem(`Must be JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`);
  }
};
