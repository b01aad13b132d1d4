import { useContext } from 'react';
import { CodeField } from '../../code/code-field.tsx';
import { classes } from '../../ui/classes.ts';
import { inputClasses, selectClasses } from '../../ui/field.tsx';
import { completionsAt } from '../expression/completions.ts';
import { ruleLack, takesValue } from '../fields/missing.ts';
import { partRules } from '../formats/field-rules.ts';
import { operatorGroups, valueRules, withOperator } from '../formats/rule-model.ts';
import { asList, asValues, type Values, withKey } from '../formats/values.ts';
import type { ControlProps } from './control.ts';
import { FormContext } from './form-context.ts';
import { AddButton, ItemButtons, moved } from './item-buttons.tsx';
import { useFieldInput } from './use-field-input.ts';

/** Conditions, a card each. The order counts, because the first one that holds decides a route. */
export function RulesControl({ id, kind, path, value, onChange, describedBy }: ControlProps<'rules'>) {
  const { drafts } = useContext(FormContext);
  const rules = asList(value).map(asValues);
  const places = [...rules.keys()];
  const store = (next: readonly Values[]): void => onChange(next.length === 0 ? undefined : next);
  const arrange = (order: readonly number[]): void => {
    drafts.arrange(path, order);
    store(order.map((place) => rules[place] ?? {}));
  };
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex min-w-0 flex-col gap-2">
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity but its place.
        <div key={index} className="flex flex-col gap-1.5 rounded-card border border-line bg-sunken p-2">
          <div className="flex items-center gap-1 pl-1 text-[12px] text-muted">
            <span className="mr-auto">{kind.isRouting ? `If rule ${index + 1} holds` : `Rule ${index + 1}`}</span>
            <ItemButtons
              name={`rule ${index + 1}`}
              {...{ index, count: rules.length }}
              onMove={(to) => arrange(moved(places, index, to))}
              onRemove={() => arrange(places.toSpliced(index, 1))}
            />
          </div>
          <RuleFields
            path={`${path}[${index}]`}
            rule={rule}
            name={`rule ${index + 1}`}
            isItem={kind.isItem}
            onChange={(changed) => store(rules.with(index, changed))}
          />
          {kind.isRouting && (
            <RouteField
              path={`${path}[${index}].id`}
              name={`rule ${index + 1}`}
              value={rule.id}
              onChange={(route) => store(rules.with(index, withKey(rule, 'id', route)))}
            />
          )}
          <Lack rule={rule} isRouting={kind.isRouting} />
        </div>
      ))}
      <AddButton text="Add rule" onClick={() => store([...rules, { operator: 'equals' }])} />
    </fieldset>
  );
}

function Lack({ rule, isRouting }: { readonly rule: Values; readonly isRouting: boolean }) {
  const lack = ruleLack(rule, isRouting);
  return lack === null ? null : <p className="pl-1 text-[12px] text-muted">{`Needs ${lack}.`}</p>;
}

interface RouteFieldProps {
  /** Names the field in the form. */
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The route that is taken when a rule holds. */
function RouteField({ path, name, value, onChange }: RouteFieldProps) {
  const input = useFieldInput({ path, rules: partRules, value, onChange });
  return (
    <label className="flex items-center gap-2 pl-1 text-[12px] text-muted">
      take the route
      <input
        aria-label={`Route of ${name}`}
        className={classes(inputClasses, 'h-8 flex-1')}
        placeholder="e.g. urgent"
        value={input.text}
        onChange={({ target }) => input.type(target.value)}
        onBlur={input.leave}
      />
    </label>
  );
}

interface RuleFieldsProps {
  /** Names the rule in the form. */
  readonly path: string;
  readonly rule: Values;
  readonly name: string;
  /** Whether the field is a path inside each item of a list. */
  readonly isItem: boolean;
  readonly onChange: (rule: Values) => void;
}

function RuleFields({ path, rule, name, isItem, onChange }: RuleFieldsProps) {
  const { names, inserter } = useContext(FormContext);
  const part = (key: string) => ({
    path: `${path}.${key}`,
    value: rule[key],
    onChange: (value: unknown) => onChange(withKey(rule, key, value)),
  });
  const field = useFieldInput({ ...part('field'), rules: partRules });
  const input = useFieldInput({ ...part('value'), rules: valueRules(rule.operator) });
  const operator = useFieldInput({
    ...part('operator'),
    rules: partRules,
    onChange: (chosen) => onChange(withOperator(rule, String(chosen))),
  });
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices when the editor in it is left. */}
      <div onBlur={field.leave}>
        <CodeField
          label={`Field of ${name}`}
          value={field.text}
          language="expression"
          isMultiline={false}
          placeholder={isItem ? 'e.g. address.city' : 'e.g. trigger.payload.kind'}
          completions={isItem ? undefined : (text, position) => completionsAt(text, position, { isBare: true, names })}
          onChange={field.type}
          onFocus={(insert) => {
            inserter.current = isItem ? null : insert;
          }}
        />
      </div>
      <div className="flex gap-1.5">
        <select
          aria-label={`Operator of ${name}`}
          className={classes(selectClasses, 'min-w-0 flex-1')}
          value={operator.text}
          onChange={({ target }) => operator.choose(target.value)}
        >
          {operatorGroups.map(([group, operators]) => (
            <optgroup key={group} label={group}>
              {operators.map(([operator, text]) => (
                <option key={operator} value={operator}>
                  {text}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        {takesValue(rule.operator) && (
          <input
            aria-label={`Value of ${name}`}
            className={classes(inputClasses, 'min-w-0 flex-1')}
            placeholder="value or {{ expression }}"
            value={input.text}
            onChange={({ target }) => input.type(target.value)}
            onBlur={input.leave}
          />
        )}
      </div>
    </>
  );
}
