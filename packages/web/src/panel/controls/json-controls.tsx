import { exactJson } from '@millrace/core/editing';
import { useContext, useState } from 'react';
import { CodeField } from '../../code/code-field.tsx';
import { completionsAt } from '../expression/completions.ts';
import { Radios } from './choice-controls.tsx';
import type { AnyControlProps } from './control.ts';
import { ExpressionControl } from './expression-control.tsx';
import { FormContext } from './form-context.ts';
import { type Reading, useDraftText } from './use-draft-text.ts';

/** The value that a JSON text means. */
function readJson(text: string): Reading {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: exactJson(text) };
  } catch (error) {
    return { problem: `Must be JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` };
  }
}

/** A value as JSON text. */
export function JsonControl(props: AnyControlProps) {
  const { field, value, isInvalid } = props;
  const { names, inserter } = useContext(FormContext);
  const stored = value === undefined ? '' : JSON.stringify(value, null, 2);
  const { text, change, leave } = useDraftText({ ...props, stored, read: readJson });
  const suggested = field.example ?? field.defaultValue;
  return (
    <CodeField
      label={field.label}
      value={text}
      language="json"
      isMultiline
      placeholder={suggested === undefined ? undefined : JSON.stringify(suggested, null, 2)}
      isInvalid={isInvalid}
      completions={(written, position) => completionsAt(written, position, { isBare: false, names })}
      onChange={change}
      onBlur={leave}
      onFocus={(insert) => {
        inserter.current = (path) => insert(`{{ ${path} }}`);
      }}
    />
  );
}

/** Any JSON value: text as it is, or anything else as JSON. */
export function AnyControl(props: AnyControlProps) {
  const { id, value, onChange } = props;
  const [mode, setMode] = useState(typeof value === 'string' ? 'text' : 'JSON');
  const choose = (next: string): void => {
    setMode(next);
    if (next === 'text' && value !== undefined && typeof value !== 'string') onChange(JSON.stringify(value, null, 2));
    const reading = typeof value === 'string' ? readJson(value) : null;
    // A text that is no JSON becomes a JSON text, in quotes.
    if (next === 'JSON' && reading !== null) onChange('value' in reading ? reading.value : value);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <div className="w-40">
        <Radios id={id} options={['text', 'JSON']} chosen={mode} describedBy={undefined} onChoose={choose} />
      </div>
      {mode === 'JSON' ? <JsonControl {...props} /> : <ExpressionControl {...props} isMultiline />}
    </div>
  );
}
