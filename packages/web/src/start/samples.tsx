import { exactJsonText } from '@millrace/core/editing';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { inputClasses } from '../ui/field.tsx';
import { type ParsedPayload, payloadPreview, type Sample, withSample } from './payload.ts';
import { PayloadChoice } from './payload-choice.tsx';

interface SamplesProps {
  readonly samples: readonly Sample[];
  /** What the editor contains. */
  readonly parsed: ParsedPayload;
  readonly onUse: (text: string) => void;
  readonly onSave: (samples: readonly Sample[]) => void;
}

/** The named payloads that are stored with the workflow, for everybody who edits it. */
export function Samples({ samples, parsed, onUse, onSave }: SamplesProps) {
  return (
    <div className="flex flex-col gap-3">
      {samples.length === 0 && (
        <p className="text-[13px] text-muted">A sample is a named payload that is stored with the workflow.</p>
      )}
      <ul className="flex flex-col gap-2">
        {samples.map(({ name, payload }) => (
          <PayloadChoice
            key={name}
            title={name}
            preview={payloadPreview(JSON.stringify(payload))}
            onPick={() => onUse(exactJsonText(payload, 2))}
            action={
              <button
                type="button"
                aria-label={`Remove sample ${name}`}
                onClick={() => onSave(samples.filter((sample) => sample.name !== name))}
                className="m-1 flex size-7 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-danger"
              >
                <Trash2 size={14} aria-hidden="true" />
              </button>
            }
          />
        ))}
      </ul>
      <NewSample parsed={parsed} onAdd={(sample) => onSave(withSample(samples, sample))} />
    </div>
  );
}

/** The longest name of a sample that the service stores. */
const nameLength = 80;

interface NewSampleProps {
  readonly parsed: ParsedPayload;
  readonly onAdd: (sample: Sample) => void;
}

function NewSample({ parsed, onAdd }: NewSampleProps) {
  const [name, setName] = useState('');
  const isTooLong = name.trim().length > nameLength;
  const canAdd = name.trim() !== '' && !isTooLong && parsed.kind === 'value' && parsed.value !== undefined;
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!canAdd) return;
        onAdd({ name: name.trim(), payload: parsed.value });
        setName('');
      }}
    >
      <label className="min-w-0 flex-1">
        <span className={isTooLong ? 'text-[12px] text-danger' : 'text-[12px] text-muted'}>
          {isTooLong ? `The name must have at most ${nameLength} characters` : 'Save the payload as'}
        </span>
        <input
          className={inputClasses}
          value={name}
          aria-invalid={isTooLong}
          placeholder="Name of the sample"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <Button type="submit" disabled={!canAdd} className="h-9">
        Save
      </Button>
    </form>
  );
}
