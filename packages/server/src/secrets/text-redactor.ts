import type { TextRedactor } from './llm-endpoint.ts';
import { SecretSearch } from './secret-search.ts';

/** Takes these secrets out: providers repeat what they were sent, and streamed text cuts it anywhere. */
export function textRedactor(secrets: readonly string[]): TextRedactor {
  const search = new SecretSearch(secrets);
  let kept = '';
  return {
    push(text) {
      kept = search.redact(kept + text);
      const safe = kept.length - search.beginningAtEnd(kept);
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
