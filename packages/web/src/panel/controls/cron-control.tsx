import { useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useState } from 'react';
import { scheduleTimesQuery } from '../../api/schedules.ts';
import { classes } from '../../ui/classes.ts';
import { inputClasses, selectClasses } from '../../ui/field.tsx';
import { instantOf } from '../../ui/time.ts';
import { noteCronCheck } from '../formats/cron-checks.ts';
import { type ControlProps, placeholderOf } from './control.ts';
import { cronText, presets } from './cron-text.ts';
import { FormContext } from './form-context.ts';

/** The next times follow the text after a pause of typing. */
const pauseMs = 300;

/** A cron pattern: common ones to choose from, what it means, and the next times. Only a valid one is stored. */
export function CronControl({ id, field, input, describedBy, isInvalid }: ControlProps<'cron'>) {
  const { node } = useContext(FormContext);
  const { text } = input;
  const settled = useSettled(text.trim());
  const { timezone } = (node?.config.extra_config ?? {}) as { readonly timezone?: string };
  const timing = { cron: settled, ...(timezone !== undefined && { timezone }) };
  const { data: times, error } = useQuery({ ...scheduleTimesQuery(timing), enabled: settled !== '' });
  const { type } = input;
  useEffect(() => {
    if (settled === '' || (times === undefined && error === null)) return;
    if (noteCronCheck(settled, error?.message ?? null) && text.trim() === settled) type(text);
  }, [settled, times, error, text, type]);
  return (
    <div className="flex flex-col gap-1.5">
      <select
        aria-label="Common patterns"
        className={selectClasses}
        value={presets.some(({ pattern }) => pattern === text) ? text : ''}
        onChange={({ target }) => input.type(target.value)}
      >
        <option value="">Own pattern</option>
        {presets.map(({ pattern, name }) => (
          <option key={pattern} value={pattern}>
            {name}
          </option>
        ))}
      </select>
      <input
        id={id}
        className={classes(inputClasses, 'font-mono text-[13px]')}
        placeholder={placeholderOf(field)}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        spellCheck={false}
        value={text}
        onChange={({ target }) => input.type(target.value)}
      />
      <div role="status" className="flex flex-col gap-0.5 text-[12px] text-muted">
        {cronText(text) !== null && <p className="text-ink">{cronText(text)}</p>}
        {times !== undefined && error === null && settled !== '' && (
          <ul aria-label="Next times" className="tabular-nums">
            {times.length === 0 && <li>Never fires.</li>}
            {times.map((time) => (
              <li key={time}>{new Date(instantOf(time)).toLocaleString()}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
