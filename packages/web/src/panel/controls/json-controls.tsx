import { useContext } from 'react';
import { CodeField } from '../../code/code-field.tsx';
import { completionsAt } from '../expression/completions.ts';
import { Radios } from './choice-controls.tsx';
import type { AnyControlProps } from './control.ts';
import { ExpressionControl } from './expression-control.tsx';
import { FormContext } from './form-context.ts';

/** A value as JSON text, or an expression in place of it. */
export function JsonControl({ field, input, isInvalid }: AnyControlProps) {
  const { names, inserter } = useContext(FormContext);
  const suggested = field.example ?? field.defaultValue;
  return (
    <CodeField
      label={field.label}
      value={input.text}
      language="json"
      isMultiline
      placeholder={suggested === undefined ? undefined : JSON.stringify(suggested, null, 2)}
      isInvalid={isInvalid}
      completions={(written, position) => completionsAt(written, position, { isBare: false, names })}
      onChange={input.type}
      onFocus={(insert) => {
        inserter.current = (path) => insert(`{{ ${path} }}`);
      }}
    />
  );
}

/** Any JSON value: text as it is, or anything else as JSON. */
export function AnyControl(props: AnyControlProps) {
  const { id, input } = props;
  const isText = input.mode === 'expression';
  return (
    <div className="flex flex-col gap-1.5">
      <div className="w-40">
        <Radios
          id={id}
          options={['text', 'JSON']}
          chosen={isText ? 'text' : 'JSON'}
          describedBy={undefined}
          onChoose={input.toggle}
        />
      </div>
      {isText ? <ExpressionControl {...props} isMultiline /> : <JsonControl {...props} />}
    </div>
  );
}
