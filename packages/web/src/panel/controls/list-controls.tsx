import { X } from 'lucide-react';
import { useContext, useId } from 'react';
import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { duplicateNames, type Entry, entriesIn, entriesText } from '../formats/map-entries.ts';
import { rowsIn, rowsText } from '../formats/text-rows.ts';
import { asList, asValues, textOf, type Values } from '../formats/values.ts';
import type { ControlProps } from './control.ts';
import { FormContext } from './form-context.ts';
import { AddButton, ItemButtons, moved } from './item-buttons.tsx';

/** Names with values, a row each. */
export function MapControl({ id, input, field, describedBy }: ControlProps<'map'>) {
  const entries = entriesIn(input.text);
  const store = (next: readonly Entry[]): void => input.type(entriesText(next));
  const twice = duplicateNames(entries);
  const [exampleName, exampleValue] = Object.entries(asValues(field.example))[0] ?? ['name', 'value'];
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex min-w-0 flex-col gap-1.5">
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal while they are typed.
        <div key={index} className="flex items-start gap-1">
          <input
            aria-label={`Name ${index + 1} of ${field.label}`}
            aria-invalid={twice.has(entry.name) || (entry.name === '' && entry.text !== '')}
            className={classes(inputClasses, 'min-w-0 flex-[2]')}
            placeholder={exampleName}
            spellCheck={false}
            value={entry.name}
            onChange={({ target }) => store(entries.with(index, { ...entry, name: target.value }))}
          />
          <input
            aria-label={`Value of ${entry.name || `name ${index + 1}`}`}
            className={classes(inputClasses, 'min-w-0 flex-[3]')}
            placeholder={textOf(exampleValue)}
            spellCheck={false}
            value={entry.text}
            onChange={({ target }) => store(entries.with(index, { ...entry, text: target.value }))}
          />
          <IconButton
            label={`Remove ${entry.name || `name ${index + 1}`}`}
            className="mt-1"
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => store(entries.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddButton text="Add" onClick={() => store([...entries, { name: '', text: '' }])} />
    </fieldset>
  );
}

/** Texts, a row each. */
export function TextsControl({ id, kind, input, field, describedBy }: ControlProps<'texts'>) {
  const rows = rowsIn(input.text);
  const list = useId();
  const store = (next: readonly string[]): void => input.type(rowsText(next));
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex min-w-0 flex-col gap-1.5">
      <datalist id={list}>
        {kind.suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
      {rows.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts may be equal, and their row is their place.
        <div key={index} className="flex items-start gap-1">
          <input
            list={list}
            aria-label={`${field.label} ${index + 1}`}
            className={classes(inputClasses, 'min-w-0 flex-1')}
            spellCheck={false}
            value={text}
            onChange={({ target }) => store(rows.with(index, target.value))}
          />
          <IconButton
            label={`Remove ${text || 'the empty row'}`}
            className="mt-1"
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => store(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddButton text="Add" onClick={() => store([...rows, ''])} disabled={rows.at(-1) === ''} />
    </fieldset>
  );
}

/** Objects, a card each, which can be moved. */
export function ObjectsControl({ id, kind, path, value, onChange, field, describedBy }: ControlProps<'objects'>) {
  const { Fields, drafts } = useContext(FormContext);
  const items = asList(value);
  const places = [...items.keys()];
  const store = (next: readonly unknown[]): void => onChange(next.length === 0 ? undefined : next);
  const arrange = (order: readonly number[]): void => {
    drafts.arrange(path, order);
    store(order.map((place) => items[place]));
  };
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex flex-col gap-2">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the path of an item contains its place.
        <div key={index} className="flex flex-col gap-3 rounded-card border border-line p-3">
          <div className="-mt-1 -mr-1 flex items-center justify-between text-[12px] text-muted">
            {`${field.label} ${index + 1}`}
            <ItemButtons
              name={`${field.label} ${index + 1}`}
              {...{ index, count: items.length }}
              onMove={(to) => arrange(moved(places, index, to))}
              onRemove={() => arrange(places.toSpliced(index, 1))}
            />
          </div>
          <Fields
            fields={kind.fields}
            path={`${path}[${index}]`}
            values={asValues(item)}
            onChange={(changed: Values) => store(items.with(index, changed))}
          />
        </div>
      ))}
      <AddButton text="Add" onClick={() => store([...items, {}])} />
    </fieldset>
  );
}
