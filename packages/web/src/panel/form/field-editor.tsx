import { Braces, RotateCcw } from 'lucide-react';
import { type FocusEvent, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Control } from '../controls/controls.tsx';
import { ExpressionControl } from '../controls/expression-control.tsx';
import type { Field } from '../fields/field.ts';

interface FieldEditorProps {
  readonly field: Field;
  readonly path: string;
  /** Undefined if the config does not contain the key. */
  readonly value: unknown;
  /** Why the value is not stored. */
  readonly issue?: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** Kinds whose controls are several input elements, which the label names together. */
const composite: ReadonlySet<string> = new Set([
  'map',
  'texts',
  'objects',
  'object',
  'choices',
  'rules',
  'prompt',
  'code',
  'expression',
  'json',
  'any',
]);

/** One field of a form: its label, its input element, what it means and why it is invalid. */
export function FieldEditor({ field, path, value, issue, onChange }: FieldEditorProps) {
  const id = useId();
  const [ownProblem, setProblem] = useState<string | null>(null);
  const problem = issue === undefined ? ownProblem : `Not saved yet: ${issue}`;
  const hasExpression = typeof value === 'string' && value.includes('{{');
  const [isExpression, setIsExpression] = useState(false);
  const mayChange = field.takesExpression && field.field.kind !== 'prompt' && field.field.kind !== 'any';
  // Another input element would lose the focus, and with it the keys of a person who replaces an expression.
  const focused = useFocusWithin();
  const before = useRef<'expression' | 'fixed'>('fixed');
  const stays = focused.isWithin && before.current === 'expression';
  const mode = mayChange && (isExpression || hasExpression || stays) ? 'expression' : 'fixed';
  before.current = mode;
  // The label and the list say it all.
  const hasDescription = field.description !== '' && field.field.kind !== 'credential';
  const described = [hasDescription && `${id}-hint`, problem !== null && `${id}-error`].filter(Boolean);
  const isTemplate = field.field.kind === 'prompt';
  // A text in which braces were typed becomes an expression while it has the focus.
  const wasFixed = useRef(mode === 'fixed').current;
  const shared = {
    ...{ id, field, path, value, onChange },
    describedBy: described.length === 0 ? undefined : described.join(' '),
    isInvalid: problem !== null,
    onProblem: setProblem,
  };
  const toggle = (): void => {
    before.current = 'fixed';
    setIsExpression(mode === 'fixed');
    setProblem(null);
    if (mode === 'expression' && hasExpression) onChange(undefined);
  };
  return (
    <div className="group flex flex-col gap-1" data-field={path} {...focused.handlers}>
      <div className="flex min-h-7 items-center gap-0.5">
        <FieldLabel id={id} field={field} isGroup={mode === 'expression' || composite.has(field.field.kind)} />
        {value !== undefined && !field.isRequired && (
          <IconButton
            label={`Reset ${field.label}`}
            icon={<RotateCcw size={13} aria-hidden="true" />}
            onClick={() => {
              before.current = 'fixed';
              setIsExpression(false);
              setProblem(null);
              onChange(undefined);
            }}
          />
        )}
        {field.takesExpression && !isTemplate && (
          <IconButton
            label={`Use an expression for ${field.label}`}
            aria-pressed={mode === 'expression'}
            icon={<Braces size={14} aria-hidden="true" />}
            onClick={toggle}
          />
        )}
      </div>
      {mode === 'expression' ? (
        <ExpressionControl {...shared} isMultiline={false} autoFocus={isExpression || wasFixed} />
      ) : (
        <Control {...shared} kind={field.field} />
      )}
      {problem !== null && (
        <p id={`${id}-error`} role="alert" className="text-[12px] text-danger leading-4">
          {problem}
        </p>
      )}
      {hasDescription && <Description id={`${id}-hint`} text={field.description} />}
    </div>
  );
}

/** Whether the focus is in an element or inside of it. */
function useFocusWithin() {
  const [isWithin, setWithin] = useState(false);
  const handlers = {
    onFocus: (): void => setWithin(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (!currentTarget.contains(relatedTarget)) setWithin(false);
    },
  };
  return { isWithin, handlers };
}

interface FieldLabelProps {
  readonly id: string;
  readonly field: Field;
  readonly isGroup: boolean;
}

function FieldLabel({ id, field, isGroup }: FieldLabelProps) {
  const Name = isGroup ? 'span' : 'label';
  return (
    <Name
      id={`${id}-label`}
      {...(!isGroup && { htmlFor: id })}
      className="mr-auto min-w-0 truncate font-medium text-[13px]"
    >
      {field.label}
      {field.isRequired && <span className="font-normal text-muted"> required</span>}
    </Name>
  );
}

/** So many characters of a description are shown before it is opened: about two lines. */
const shortLength = 110;

function Description({ id, text }: { readonly id: string; readonly text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const short = shortText(text);
  return (
    <p id={id} className="text-[12px] text-muted leading-4">
      <InlineCode text={isOpen ? text : short} />
      {short !== text && (
        <>
          {' '}
          <button
            type="button"
            className="text-accent hover:underline"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Less' : 'More'}
          </button>
        </>
      )}
    </p>
  );
}

/** The first sentences of a long text. */
function shortText(text: string): string {
  if (text.length <= shortLength) return text;
  const [first = text] = /^.*?[.:](?=\s)/s.exec(text) ?? [];
  return first.replace(/:$/, '.');
}
