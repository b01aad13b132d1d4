import { beforeEach, describe, expect, test } from 'vitest';
import { afterEvent, type FieldEvent, type FieldRules, type Format, noDraft, shownField } from './field-draft.ts';

const whole: Format = {
  read: (text) => {
    if (text.startsWith('{{')) return { value: text.trim() };
    if (text === '') return { value: undefined };
    return Number.isInteger(Number(text)) ? { value: Number(text) } : { problem: 'Must be a whole number.' };
  },
  show: (value) => (value === undefined ? '' : String(value)),
};
const plain: Format = {
  read: (text) => {
    const reading = whole.read(text);
    return 'value' in reading && typeof reading.value === 'string' ? { problem: 'Must be a number.' } : reading;
  },
  show: whole.show,
};
const modeOf: FieldRules['modeOf'] = (value) => (typeof value === 'string' ? 'expression' : 'value');
/** A number in a text input, and a number in an input element that shows nothing else, such as a slider. */
const typed: FieldRules = { value: whole, expression: whole, sharesText: true, opensOnBraces: true, modeOf };
const slid: FieldRules = { value: plain, expression: whole, sharesText: false, opensOnBraces: false, modeOf };

let draft = noDraft;
let value: unknown;
let stored: unknown;

beforeEach(() => {
  draft = noDraft;
  value = 5;
  stored = 5;
});

/** The form around the field: it holds what is not stored yet. */
function handle(rules: FieldRules, ...events: readonly FieldEvent[]): void {
  for (const event of events) {
    const step = afterEvent(draft, event, { rules, value });
    draft = step.draft;
    if (step.effect.kind === 'change') value = step.effect.value;
    if (step.effect.kind === 'hold') value = stored;
  }
}

const shown = (rules: FieldRules) => shownField(draft, { rules, value });
const type = (text: string): FieldEvent => ({ kind: 'typed', text });
const left: FieldEvent = { kind: 'left' };
const toggled: FieldEvent = { kind: 'toggled' };

describe('a field', () => {
  test('shows what is typed, and stores what it means', () => {
    handle(typed, type('07'));
    expect(shown(typed).text).toBe('07');
    expect(value).toBe(7);
    handle(typed, left);
    expect(shown(typed).text).toBe('7');
    expect(draft).toEqual(noDraft);
  });

  test('keeps a text that cannot be stored, says why, and stores nothing of it', () => {
    handle(typed, type('6'), type('6x'), left);
    expect(shown(typed)).toEqual({ mode: 'value', text: '6x', problem: 'Must be a whole number.' });
    expect(value).toBe(5);
    handle(typed, type('6'));
    expect(shown(typed).problem).toBeNull();
    expect(value).toBe(6);
  });

  test('becomes an expression when braces are typed, and stays one until it is left', () => {
    handle(typed, type('{{'));
    expect(shown(typed)).toEqual({ mode: 'expression', text: '{{', problem: null });
    handle(typed, type('8'));
    expect(shown(typed).mode).toBe('expression');
    handle(typed, left);
    expect(shown(typed)).toEqual({ mode: 'value', text: '8', problem: null });
  });

  test('shows a value that comes from elsewhere in place of a typed one, but never in place of a problem', () => {
    handle(typed, type('6'));
    value = 9;
    expect(shown(typed).text).toBe('9');
    handle(typed, type('6x'));
    value = 10;
    expect(shown(typed).text).toBe('6x');
  });

  test('has the option that is chosen in place of a text that cannot be stored', () => {
    handle(typed, type('6x'), { kind: 'chosen', value: 7 });
    expect(shown(typed)).toEqual({ mode: 'value', text: '7', problem: null });
    expect(value).toBe(7);
    handle(slid, toggled, { kind: 'chosen', value: 8 });
    expect(shown(slid)).toEqual({ mode: 'value', text: '8', problem: null });
  });

  test('has nothing after a reset', () => {
    handle(typed, type('6x'), { kind: 'reset' });
    expect(draft).toEqual(noDraft);
    expect(value).toBeUndefined();
  });
});

describe('changing between a value and an expression', () => {
  test('keeps the text where both can show it', () => {
    for (const text of ['6x', '7', '{{ a }}']) {
      handle(typed, type(text), toggled);
      expect(shown(typed).text).toBe(text);
      handle(typed, left, toggled);
      expect(shown(typed).text).toBe(text);
    }
  });

  test('keeps the expression aside where the value has another input element', () => {
    handle(slid, toggled, type('{{ a }}'), left);
    expect(value).toBe('{{ a }}');
    handle(slid, toggled);
    expect(shown(slid)).toEqual({ mode: 'value', text: '', problem: null });
    expect(value).toBeUndefined();
    value = 6;
    handle(slid, toggled);
    expect(shown(slid)).toEqual({ mode: 'expression', text: '{{ a }}', problem: null });
    expect(value).toBe('{{ a }}');
    handle(slid, toggled);
    expect(value).toBe(6);
  });

  test('keeps a text aside that cannot be stored, and the stored value', () => {
    handle(slid, toggled, type('6x'), toggled);
    expect(shown(slid)).toEqual({ mode: 'value', text: '5', problem: null });
    expect(value).toBe(5);
    handle(slid, toggled);
    expect(shown(slid)).toEqual({ mode: 'expression', text: '6x', problem: 'Must be a whole number.' });
  });

  test('shows an expression that an undo restored, whatever was chosen', () => {
    value = '{{ a }}';
    handle(slid, toggled);
    value = '{{ a }}';
    expect(shown(slid)).toMatchObject({ mode: 'expression', text: '{{ a }}' });
  });
});
