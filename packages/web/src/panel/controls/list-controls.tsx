import { X } from 'lucide-react';
import { useContext, useId, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { inputClasses } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { asList, asValues, type ControlProps, textOf, type Values } from './control.ts';
import { FormContext } from './form-context.ts';
import { AddButton, ItemButtons, moved } from './item-buttons.tsx';
import { duplicateNames, type Entry, entriesOf, mapText, mapValue, valuesFrom } from './map-entries.ts';

/** Names with values, a row each. */
export function MapControl({ id, kind, value, onChange, field, describedBy }: ControlProps<'map'>) {
  const [known, setKnown] = useState<readonly Entry[]>([]);
  const entries = entriesOf(asValues(value), known);
  const store = (next: readonly Entry[]): void => {
    setKnown(next);
    const values = valuesFrom(next);
    onChange(Object.keys(values).length === 0 ? undefined : values);
  };
  const update = (entry: Entry): void => store(entries.map((one) => (one.id === entry.id ? entry : one)));
  const twice = duplicateNames(entries);
  const nextId = Math.max(-1, ...entries.map((entry) => entry.id)) + 1;
  const [exampleName, exampleValue] = Object.entries(asValues(field.example))[0] ?? ['name', 'value'];
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex min-w-0 flex-col gap-1.5">
      {entries.map((entry, index) => (
        <div key={entry.id} className="flex items-start gap-1">
          <input
            aria-label={`Name ${index + 1} of ${field.label}`}
            aria-invalid={twice.has(entry.name)}
            className={classes(inputClasses, 'min-w-0 flex-[2]')}
            placeholder={exampleName}
            spellCheck={false}
            value={entry.name}
            onChange={({ target }) => update({ ...entry, name: target.value })}
          />
          <input
            aria-label={`Value of ${entry.name || `name ${index + 1}`}`}
            className={classes(inputClasses, 'min-w-0 flex-[3]')}
            placeholder={textOf(exampleValue)}
            spellCheck={false}
            value={kind.isText ? textOf(entry.value) : mapText(entry.value)}
            onChange={({ target }) => update({ ...entry, value: kind.isText ? target.value : mapValue(target.value) })}
          />
          <IconButton
            label={`Remove ${entry.name || `name ${index + 1}`}`}
            className="mt-1"
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => store(entries.filter((one) => one.id !== entry.id))}
          />
        </div>
      ))}
      {twice.size > 0 && (
        <p role="alert" className="text-[12px] text-danger">
          {`The name ${[...twice].join(', ')} occurs twice: only the first is stored.`}
        </p>
      )}
      <AddButton text="Add" onClick={() => setKnown([...entries, { id: nextId, name: '', value: '' }])} />
    </fieldset>
  );
}

/** Texts, a row each. */
export function TextsControl({ id, kind, value, onChange, field, describedBy }: ControlProps<'texts'>) {
  const texts = asList(value).map(textOf);
  const [isAdding, setIsAdding] = useState(false);
  const list = useId();
  const shown = isAdding ? [...texts, ''] : texts;
  const store = (next: readonly string[]): void => {
    const filled = next.filter((text) => text !== '');
    setIsAdding(filled.length < next.length);
    onChange(filled.length === 0 ? undefined : filled);
  };
  return (
    <fieldset aria-labelledby={`${id}-label`} aria-describedby={describedBy} className="flex min-w-0 flex-col gap-1.5">
      <datalist id={list}>
        {kind.suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
      {shown.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts may be equal, and their row is their place.
        <div key={index} className="flex items-start gap-1">
          <input
            list={list}
            aria-label={`${field.label} ${index + 1}`}
            className={classes(inputClasses, 'min-w-0 flex-1')}
            spellCheck={false}
            value={text}
            onChange={({ target }) => store(shown.with(index, target.value))}
          />
          <IconButton
            label={`Remove ${text || 'the empty row'}`}
            className="mt-1"
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => store(shown.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddButton text="Add" onClick={() => setIsAdding(true)} disabled={isAdding} />
    </fieldset>
  );
}

/** Objects, a card each, which can be moved. */
export function ObjectsControl({ id, kind, path, value, onChange, field, describedBy }: ControlProps<'objects'>) {
  const { Fields } = useContext(FormContext);
  const items = asList(value);
  const store = (next: readonly unknown[]): void => onChange(next.length === 0 ? undefined : next);
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
              onMove={(to) => store(moved(items, index, to))}
              onRemove={() => store(items.toSpliced(index, 1))}
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
