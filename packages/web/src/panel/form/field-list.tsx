import { ChevronRight } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { type FieldRequest, isAskedFor } from '../../state/fields/field-request.ts';
import { classes } from '../../ui/classes.ts';
import { type FieldListProps, FormContext } from '../controls/form-context.ts';
import type { Field } from '../fields/field.ts';
import { isShown } from '../fields/fields-of.ts';
import { withKey } from '../formats/values.ts';
import { FieldEditor } from './field-editor.tsx';

/** The fields of an object: the usual ones, and the rarely used ones folded. */
export function FieldList({ fields, path, values, onChange, issueOf }: FieldListProps) {
  const { drafts, request } = useContext(FormContext);
  const pathOf = ({ key }: Field): string => (path === '' ? key : `${path}.${key}`);
  const isUnsaved = (field: Field): boolean =>
    drafts.draft(pathOf(field)).problem !== null || issueOf?.(field.key) !== undefined;
  const shown = fields.filter((field) => isShown(field, fields, values) || isUnsaved(field));
  const usual = shown.filter(({ isAdvanced }) => !isAdvanced);
  const advanced = shown.filter(({ isAdvanced }) => isAdvanced);
  const editor = (field: Field) => (
    <FieldEditor
      key={field.key}
      field={field}
      path={pathOf(field)}
      value={values[field.key]}
      issue={issueOf?.(field.key)}
      onChange={(value) => onChange(withKey(values, field.key, value), field.key)}
    />
  );
  return (
    <>
      {usual.map(editor)}
      {advanced.length > 0 && (
        <Advanced
          count={advanced.filter(({ key }) => values[key] !== undefined).length}
          request={advanced.some((field) => isAskedFor(request, pathOf(field))) ? request : null}
        >
          {advanced.map(editor)}
        </Advanced>
      )}
    </>
  );
}

interface AdvancedProps {
  /** How many of the fields are set. */
  readonly count: number;
  /** For one of the fields: it opens them. */
  readonly request: FieldRequest | null;
  readonly children: ReactNode;
}

function Advanced({ count, request, children }: AdvancedProps) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (request !== null) setIsOpen(true);
  }, [request]);
  return (
    <section className="flex flex-col gap-5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="-mx-1 flex min-h-7 items-center gap-1 rounded-control px-1 font-medium text-[13px] hover:bg-hover"
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={classes('text-muted transition-transform', isOpen && 'rotate-90')}
        />
        More settings
        {count > 0 && (
          <span className="ml-1 rounded-full bg-accent-soft px-1.5 text-[11px] text-accent leading-4">{count} set</span>
        )}
      </button>
      {isOpen && children}
    </section>
  );
}
