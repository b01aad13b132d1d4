/** Patterns that most schedules use. */
export const presets: readonly { readonly pattern: string; readonly name: string }[] = [
  { pattern: '*/5 * * * *', name: 'Every 5 minutes' },
  { pattern: '*/15 * * * *', name: 'Every 15 minutes' },
  { pattern: '0 * * * *', name: 'Every hour' },
  { pattern: '0 9 * * *', name: 'Every day at 09:00' },
  { pattern: '0 9 * * MON-FRI', name: 'Monday to Friday at 09:00' },
  { pattern: '0 9 * * MON', name: 'Every Monday at 09:00' },
  { pattern: '0 9 1 * *', name: 'On the first day of each month at 09:00' },
];

const days = new Map([
  ['MON-FRI', 'Monday to Friday'],
  ['1-5', 'Monday to Friday'],
  ['SAT,SUN', 'Saturday and Sunday'],
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'].flatMap((day, index) => [
    [day.slice(0, 3).toUpperCase(), `every ${day}`] as const,
    [String(index), `every ${day}`] as const,
  ]),
]);

/** What a common pattern means, in a sentence; null for a pattern that the next times explain better. */
export function cronText(pattern: string): string | null {
  const [minute = '', hour = '', day, month, weekday = '', ...more] = pattern.trim().toUpperCase().split(/\s+/);
  if (more.length > 0 || month !== '*') return null;
  const time = timeText(minute, hour);
  if (time === null) return null;
  if (day === '*' && weekday === '*') return sentence(time.isWithinDay ? time.text : `Every day ${time.text}`);
  if (day === '*') {
    const name = days.get(weekday);
    return name === undefined ? null : sentence(`${time.text}, ${name}`);
  }
  if (weekday !== '*' || day === undefined || !/^\d+$/.test(day)) return null;
  return sentence(`${time.text}, on day ${day} of each month`);
}

function timeText(minute: string, hour: string): { readonly text: string; readonly isWithinDay: boolean } | null {
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (hour === '*' && step !== undefined) return { text: `every ${step} minutes`, isWithinDay: true };
  if (hour === '*' && minute === '*') return { text: 'every minute', isWithinDay: true };
  if (!/^\d+$/.test(minute)) return null;
  if (hour === '*') return { text: `every hour at minute ${minute}`, isWithinDay: true };
  if (!/^\d+$/.test(hour)) return null;
  return { text: `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, isWithinDay: false };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
