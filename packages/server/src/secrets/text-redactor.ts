import type { TextRedactor } from './llm-endpoint.ts';
import { SecretSearch } from './masking/secret-search.ts';

/** Takes these secrets out: providers repeat what they were sent, and streamed text cuts it anywhere. */
export function textRedactor(secrets: readonly string[]): TextRedactor {
  const search = new SecretSearch(secrets);
  let kept = '';
  return {
    push(text) {
      const { redacted, left } = search.redactSoFar(kept + text);
      kept = left;
      return redacted;
    },
    end() {
      const said = search.redact(kept);
      kept = '';
      return said;
    },
  };
}
