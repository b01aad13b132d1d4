import { Braces, RotateCcw } from 'lucide-react';
import { type FocusEvent, useContext, useId, useMemo, useRef, useState } from 'react';
import { changedPart } from '../../code/changed-part.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Control } from '../controls/controls.tsx';
import { ExpressionControl } from '../controls/expression-control.tsx';
import { FormContext } from '../controls/form-context.ts';
import { type FieldInput, useFieldInput } from '../controls/use-field-input.ts';
import type { Field } from '../fields/field.ts';
import type { FieldRole } from '../fields/tool-roles.ts';
import { rulesOf } from '../formats/field-rules.ts';
import { discardText, lostTexts } from './lost-texts.ts';

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

/** Kinds whose input element shows an expression as well as a value. */
const withoutToggle: ReadonlySet<string> = new Set(['prompt', 'any']);

/** One field of a form: its label, its input element, what it means and why it is not stored. */
export function FieldEditor({ field, path, value, issue, onChange }: FieldEditorProps) {
  const id = useId();
  const rules = useMemo(() => rulesOf(field), [field]);
  const plain = useFieldInput({ path, rules, value, onChange });
  const { input, cursor, takesFocus } = useFocusThrough(plain);
  const { mode } = input;
  const { roles } = useContext(FormContext);
  const focus = useFocusWithin(input.leave);
  const problem = input.problem ?? issue ?? null;
  const isExpression = mode === 'expression' && field.field.kind !== 'any';
  // The label and the list say it all.
  const hasDescription = field.description !== '' && field.field.kind !== 'credential';
  const described = [hasDescription && `${id}-hint`, problem !== null && `${id}-error`].filter(Boolean);
  const shared = {
    ...{ id, field, path, value, onChange, input },
    describedBy: described.length === 0 ? undefined : described.join(' '),
    isInvalid: problem !== null && !focus.isWithin,
  };
  return (
    <div className="group flex flex-col gap-1" data-field={path} {...focus.handlers}>
      <div className="flex min-h-7 items-center gap-0.5">
        <FieldLabel
          id={id}
          field={field}
          role={roles.get(path)}
          isGroup={isExpression || composite.has(field.field.kind)}
        />
        {(value !== undefined || input.problem !== null) && !field.isRequired && (
          <IconButton
            label={`Reset ${field.label}`}
            icon={<RotateCcw size={13} aria-hidden="true" />}
            onClick={input.reset}
          />
        )}
        {rules.expression !== null && !withoutToggle.has(field.field.kind) && (
          <IconButton
            label={`Use an expression for ${field.label}`}
            aria-pressed={isExpression}
            icon={<Braces size={14} aria-hidden="true" />}
            onClick={input.toggle}
          />
        )}
      </div>
      {isExpression ? (
        <ExpressionControl
          {...shared}
          isMultiline={field.field.kind === 'json'}
          autoFocus={takesFocus}
          cursor={cursor}
        />
      ) : (
        <Control {...shared} kind={field.field} />
      )}
      {problem !== null && <NotSaved id={`${id}-error`} problem={problem} isTyping={focus.isWithin} />}
      {path === field.key && <LostTexts field={field} value={value} />}
      {hasDescription && <Description id={`${id}-hint`} text={field.description} />}
    </div>
  );
}

interface NotSavedProps {
  readonly id: string;
  readonly problem: string;
  readonly isTyping: boolean;
}

/** Why a field is not stored. While it is typed the text is only incomplete, so nothing is announced yet. */
function NotSaved({ id, problem, isTyping }: NotSavedProps) {
  return (
    <p
      id={id}
      {...(!isTyping && { role: 'alert' })}
      className={classes('text-[12px] leading-4', isTyping ? 'text-muted' : 'text-danger')}
    >
      {`Not saved yet: ${problem}`}
    </p>
  );
}

/** Texts whose part of the field somebody has removed. The person who typed them decides when they may go. */
function LostTexts({ field, value }: Pick<FieldEditorProps, 'field' | 'value'>) {
  const { drafts } = useContext(FormContext);
  return lostTexts(drafts, field, value).map(({ path, text }) => (
    <p key={path} role="alert" className="break-words text-[12px] text-danger leading-4">
      {`Not saved: “${text}” in ${path
        .slice(field.key.length)
        .replace(/[.[\]]+/g, ' ')
        .trim()}, which was removed meanwhile. `}
      <button type="button" className="text-accent hover:underline" onClick={() => discardText(drafts, path)}>
        Discard
      </button>
    </p>
  ));
}

/** Another input element takes the focus over when the mode changes, with the cursor in its place. */
function useFocusThrough(plain: FieldInput) {
  const handed = useRef<{ readonly cursor: number | undefined } | null>(null);
  const type = (text: string): void => {
    const { from, insert } = changedPart(plain.text, text);
    handed.current = { cursor: from + insert.length };
    plain.type(text);
  };
  const toggle = (): void => {
    handed.current = { cursor: undefined };
    plain.toggle();
  };
  const leave = (): void => {
    handed.current = null;
    plain.leave();
  };
  const input: FieldInput = { ...plain, type, toggle, leave };
  return { input, cursor: handed.current?.cursor, takesFocus: handed.current !== null };
}

/** Whether the focus is in an element or inside of it. @param onLeave called when it moves out */
function useFocusWithin(onLeave: () => void) {
  const [isWithin, setWithin] = useState(false);
  const handlers = {
    onFocus: (): void => setWithin(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (currentTarget.contains(relatedTarget)) return;
      setWithin(false);
      onLeave();
    },
  };
  return { isWithin, handlers };
}

interface FieldLabelProps {
  readonly id: string;
  readonly field: Field;
  readonly isGroup: boolean;
  readonly role: FieldRole | undefined;
}

const roleTexts = { open: 'the model fills it', fixed: 'fixed' } as const;

function FieldLabel({ id, field, isGroup, role }: FieldLabelProps) {
  const Name = isGroup ? 'span' : 'label';
  return (
    <Name
      id={`${id}-label`}
      {...(!isGroup && { htmlFor: id })}
      className="mr-auto min-w-0 truncate font-medium text-[13px]"
    >
      {field.label}
      {field.isRequired && <span className="font-normal text-muted"> required</span>}
      {role !== undefined && (
        <span
          className={classes(
            'ml-1.5 rounded-full px-1.5 font-normal text-[11px]',
            role === 'open' ? 'bg-accent-soft text-accent' : 'bg-hover text-muted',
          )}
        >
          {roleTexts[role]}
        </span>
      )}
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
