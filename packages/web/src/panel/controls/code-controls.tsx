import { useContext } from 'react';
import { CodeField } from '../../code/code-field.tsx';
import { type AnyControlProps, placeholderOf } from './control.ts';
import { FormContext } from './form-context.ts';

/** Source code in the language that the node's `language` names. */
export function CodeControl({ field, input, isInvalid }: AnyControlProps) {
  const { node } = useContext(FormContext);
  const { language } = (node?.config.extra_config ?? {}) as { readonly language?: unknown };
  return (
    <CodeField
      label={field.label}
      value={input.text}
      language={language === 'typescript' ? 'typescript' : 'javascript'}
      isMultiline
      placeholder={placeholderOf(field)}
      isInvalid={isInvalid}
      onChange={input.type}
    />
  );
}
