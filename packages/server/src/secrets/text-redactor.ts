import type { TextRedactor } from './llm-endpoint.ts';
import { mask, redactedForms } from './redaction.ts';

/** Takes these secrets out: providers repeat what they were sent, and streamed text cuts it anywhere. */
export function textRedactor(secrets: readonly string[]): TextRedactor {
  const forms = redactedForms(secrets);
  let kept = '';
  return {
    push(text) {
      kept = forms.reduce((rest, form) => rest.replaceAll(form, mask), kept + text);
      const safe = kept.length - beginningAtEnd(kept, forms);
      const said = kept.slice(0, safe);
      kept = kept.slice(safe);
      return said;
    },
    end() {
      const said = kept;
      kept = '';
      return said;
    },
  };
}

/** How many of the last characters may be the beginning of a secret. */
function beginningAtEnd(text: string, forms: readonly string[]): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(form.slice(0, length))) longest = length;
    }
  }
  return longest;
}
