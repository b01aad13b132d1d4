import type { LlmDetail } from '@millrace/core';
import { baseUrlOf, lockedSecrets, openSecret, originOf } from './credential-secret.ts';
import type { LlmEndpoint, LlmEndpoints, TextRedactor } from './llm-endpoint.ts';
import { withoutSecrets } from './masking/redaction.ts';
import { SecretSearch } from './masking/secret-search.ts';
import type { SecretPorts } from './secret-ports.ts';

/**
 * Opens stored LLM credentials for use. The result does not expose the secret, and the outbound client sends it only to
 * its own origin.
 */
export function createLlmEndpoints({ store, vault, outbound }: SecretPorts): LlmEndpoints {
  return {
    async open(credentialId) {
      const stored = await store.credentials.sealedById(credentialId);
      if (stored?.credentialType !== 'llm') return { kind: 'missing' };
      const secret = openSecret(vault, stored);
      const locked = lockedSecrets(secret);
      if (locked.length > 0) {
        const what = locked.includes('api_key') ? 'API key' : 'custom headers';
        return { kind: 'locked', message: `base_url changed: enter the ${what} again` };
      }
      // Before it was sealed, it was validated by the schema of its type.
      return endpointOf(credentialId, secret.detail as unknown as LlmDetail, outbound);
    },
  };
}

function endpointOf(credentialId: number, detail: LlmDetail, outbound: SecretPorts['outbound']): LlmEndpoint {
  const secrets = [detail.api_key, ...Object.values(detail.custom_headers)];
  // Made once for a call, because that takes longer than the search of a usual text.
  let made: SecretSearch | null = null;
  const search = (): SecretSearch => {
    made ??= new SecretSearch(secrets);
    return made;
  };
  const isIn = (text: string): boolean => search().isIn(text);
  const secret = { origin: originOf(detail), headers: secretHeaders(detail), isIn };
  const hasSecrets = secrets.some((text) => text !== '');
  const baseUrl = baseUrlOf(detail);
  return {
    credentialId,
    providerType: detail.provider_type,
    hasSecrets,
    redactor: () => textRedactor(secrets, search()),
    async send({ method, path, body, isAnonymous = false }, signal, watch) {
      const type = body === null ? {} : { 'content-type': 'application/json' };
      const request = { method, url: `${baseUrl}${path}`, headers: { accept: 'application/json', ...type }, body };
      const identity = isAnonymous ? { ...secret, headers: {} } : secret;
      const response = await withoutSecrets(outbound.sendSecret(request, identity, signal, watch), secrets, search());
      return { ...response, lacksSecrets: !response.isFromHome && hasSecrets };
    },
  };
}

/** The API version of provider B that the service uses. */
const versionOfB = '2023-06-01';

/** The headers that identify the caller to a provider; the credential's own headers override the defaults. */
function secretHeaders(detail: LlmDetail): Readonly<Record<string, string>> {
  const usual = detail.provider_type === 'provider_b' ? headersOfB(detail) : headersOfA(detail);
  const own = Object.entries(detail.custom_headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries([...usual, ...own].filter(([, value]) => value !== ''));
}

function headersOfA({
  api_key: key,
  organization_id: organization,
}: LlmDetail): readonly (readonly [string, string])[] {
  return [
    ['authorization', key === '' ? '' : `Bearer ${key}`],
    ['openai-organization', organization],
  ];
}

function headersOfB({ api_key: key }: LlmDetail): readonly (readonly [string, string])[] {
  return [
    ['x-api-key', key],
    ['anthropic-version', versionOfB],
  ];
}

/** Removes these secrets: providers repeat what they received, and streamed text may be split anywhere. */
export function textRedactor(secrets: readonly string[], search = new SecretSearch(secrets)): TextRedactor {
  let heldBack = '';
  return {
    push(text) {
      const { redacted, left } = search.redactSoFar(heldBack + text);
      heldBack = left;
      return redacted;
    },
    end() {
      const masked = search.redact(heldBack);
      heldBack = '';
      return masked;
    },
  };
}
