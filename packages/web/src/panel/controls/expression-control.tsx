import { useCallback, useContext, useMemo, useState } from 'react';
import type { ExpressionResult } from '../../api/expressions.ts';
import { CodeField } from '../../code/code-field.tsx';
import { completionsAt } from '../expression/completions.ts';
import { ExpressionPreview } from '../expression/expression-preview.tsx';
import { type AnyControlProps, placeholderOf } from './control.ts';
import { FormContext } from './form-context.ts';

interface ExpressionControlProps extends AnyControlProps {
  /** Whether the whole text is an expression, without braces. */
  readonly isBare?: boolean;
  readonly isMultiline: boolean;
  readonly autoFocus?: boolean;
  /** Where typing continues; at the end by default. */
  readonly cursor?: number | undefined;
}

/** What an expression begins with when a person asks for one. */
const braces = ['{{ ', ' }}'] as const;

/** Text with expressions: suggestions while typing, and below it the value that it has with real data. */
export function ExpressionControl(props: ExpressionControlProps) {
  const { field, input, isBare = false, isMultiline, isInvalid, autoFocus = false } = props;
  const { slug, node, names, inserter } = useContext(FormContext);
  const [result, setResult] = useState<ExpressionResult | null>(null);
  const [wasFocused, setWasFocused] = useState(autoFocus);
  const { text } = input;
  const completions = useCallback(
    (written: string, position: number) => completionsAt(written, position, { isBare, names }),
    [isBare, names],
  );
  const problem = useMemo(() => {
    const { error } = result ?? {};
    return error?.offset === null || error === null || error === undefined ? null : { ...error, offset: error.offset };
  }, [result]);
  const hasPreview = wasFocused && (isBare ? text !== '' : text.includes('{{'));
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <CodeField
        label={field.label}
        value={text}
        cursor={props.cursor}
        language={isBare ? 'expression' : 'template'}
        isMultiline={isMultiline}
        placeholder={placeholderOf(field)}
        isInvalid={isInvalid}
        autoFocus={autoFocus}
        frame={autoFocus && !isBare ? braces : undefined}
        problem={hasPreview ? problem : null}
        completions={completions}
        onChange={input.type}
        onFocus={(insert) => {
          setWasFocused(true);
          inserter.current = (path) => insert(isBare ? path : `{{ ${path} }}`);
        }}
      />
      {hasPreview && node !== null && (
        <ExpressionPreview {...{ slug, text, isBare }} nodeId={node.node_id} onResult={setResult} />
      )}
    </div>
  );
}

/** A text for a model or a person. */
export function PromptControl(props: AnyControlProps) {
  return <ExpressionControl {...props} isMultiline />;
}

/** An expression without braces. */
export function BareExpressionControl(props: AnyControlProps) {
  return <ExpressionControl {...props} isBare isMultiline />;
}
