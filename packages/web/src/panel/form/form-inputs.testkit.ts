import type { FieldRules } from '../../state/fields/field-draft.ts';
import type { Field } from '../fields/field.ts';
import { takesValue } from '../fields/missing.ts';
import { countRules, partRules, rulesOf } from '../formats/field-rules.ts';
import { valueRules, withOperator } from '../formats/rule-model.ts';
import { asList, asValues, type Values, withKey } from '../formats/values.ts';

/** An input of a form: that of a field, or of a part of it. */
export interface FormInput {
  readonly path: string;
  readonly rules: FieldRules;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Whether it is only shown with something in it. */
  readonly isHiddenIfEmpty?: boolean;
}

type Place = Omit<FormInput, 'rules'>;

/** The inputs that a field shows: its own, and those of its parts while it shows a value. */
export function inputsOf(field: Field, place: Place): readonly FormInput[] {
  return [{ ...place, rules: rulesOf(field) }, ...partsOf(field, place)];
}

function partsOf({ field }: Field, place: Place): readonly FormInput[] {
  const { path, value, onChange } = place;
  switch (field.kind) {
    case 'choice-or-count': {
      const { [field.countKey]: count } = asValues(value);
      const change = (next: unknown): void => onChange(next === undefined ? undefined : { [field.countKey]: next });
      return [
        { path: `${path}.${field.countKey}`, rules: countRules, value: count, onChange: change, isHiddenIfEmpty: true },
      ];
    }
    case 'object':
      return inside(field.fields, {
        path,
        value,
        onChange: (values) => onChange(isEmpty(values) ? undefined : values),
      });
    case 'objects':
      return asList(value).flatMap((item, index) => inside(field.fields, itemPlace(place, index, item)));
    case 'variants': {
      const chosen = field.variants.find((variant) => variant.value === asValues(value)[field.key]);
      const change = (values: unknown): void => onChange({ ...asValues(values), [field.key]: chosen?.value });
      return inside(chosen?.fields ?? [], { path, value, onChange: change });
    }
    case 'rules':
      return asList(value).flatMap((item, index) => ruleInputs(itemPlace(place, index, item), field.isRouting));
    default:
      return [];
  }
}

function itemPlace({ path, value, onChange }: Place, index: number, item: unknown): Place {
  const change = (next: unknown): void => onChange(asList(value).with(index, next));
  return { path: `${path}[${index}]`, value: item, onChange: change };
}

function inside(fields: readonly Field[], { path, value, onChange }: Place): readonly FormInput[] {
  const values = asValues(value);
  return fields.flatMap((field) =>
    inputsOf(field, {
      path: `${path}.${field.key}`,
      value: values[field.key],
      onChange: (next) => onChange(withKey(values, field.key, next)),
    }),
  );
}

function ruleInputs({ path, value, onChange }: Place, isRouting: boolean): readonly FormInput[] {
  const rule = asValues(value);
  const part = (key: string, rules: FieldRules): FormInput => ({
    ...{ path: `${path}.${key}`, rules, value: rule[key] },
    onChange: (next) => onChange(withKey(rule, key, next)),
  });
  const operator = {
    ...part('operator', partRules),
    onChange: (next: unknown) => onChange(withOperator(rule, String(next))),
  };
  return [
    ...(isRouting ? [part('id', partRules)] : []),
    ...[part('field', partRules), operator],
    ...(takesValue(rule.operator) ? [part('value', valueRules(rule.operator))] : []),
  ];
}

function isEmpty(values: unknown): boolean {
  return Object.keys(values as Values).length === 0;
}
