import { useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import { workflowNamesQuery } from '../../api/workflows.ts';
import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import { SuggestInput } from '../../ui/suggest/suggest-input.tsx';
import { type AnyControlProps, type ControlProps, placeholderOf } from './control.ts';
import { FormContext } from './form-context.ts';

/** One line of text. */
export function TextControl(props: ControlProps<'text'>) {
  const { kind } = props;
  if (kind.suggestions === 'timezone') return <TimezoneControl {...props} />;
  if (kind.suggestions === 'workflow') return <WorkflowControl {...props} />;
  const { id, field, input, describedBy, isInvalid } = props;
  return (
    <input
      id={id}
      type="text"
      spellCheck={false}
      autoComplete="off"
      className={classes(inputClasses, kind.isCode === true && 'font-mono text-[13px]')}
      placeholder={placeholderOf(field)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={input.text}
      onChange={({ target }) => input.type(target.value)}
    />
  );
}

/** Text of several lines, which grows with its content. */
export function LongTextControl({ id, field, input, describedBy, isInvalid }: AnyControlProps) {
  const isCode = field.field.kind === 'code' || field.field.kind === 'expression';
  return (
    <textarea
      id={id}
      rows={field.field.kind === 'expression' ? 1 : 4}
      spellCheck={!isCode}
      className={classes(
        inputClasses,
        'field-sizing-content h-auto max-h-96 resize-y py-1.5 leading-5',
        isCode && 'font-mono text-[13px]',
      )}
      placeholder={placeholderOf(field)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={input.text}
      onChange={({ target }) => input.type(target.value)}
    />
  );
}

function TimezoneControl({ id, field, input, describedBy, isInvalid }: ControlProps<'text'>) {
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone })), []);
  return (
    <SuggestInput
      {...{ id, describedBy, isInvalid }}
      value={input.text}
      placeholder={placeholderOf(field)}
      suggestions={zones}
      empty="No time zone has this name."
      onChange={input.type}
    />
  );
}

function WorkflowControl({ id, field, input, describedBy, isInvalid }: ControlProps<'text'>) {
  const { slug } = useContext(FormContext);
  const { data = [] } = useQuery(workflowNamesQuery);
  const others = data.filter((workflow) => workflow.slug !== slug);
  return (
    <SuggestInput
      {...{ id, describedBy, isInvalid }}
      value={input.text}
      placeholder={placeholderOf(field)}
      suggestions={others.map((workflow) => ({ value: workflow.slug, detail: workflow.name }))}
      empty="No workflow has this slug."
      onChange={input.type}
    />
  );
}
