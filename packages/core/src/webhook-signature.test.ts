import { describe, expect, it } from 'vitest';
import { node } from '../test/graphs.ts';
import { checkSignature } from './webhook-signature.ts';

function hook(signature: string | undefined, credentialId: number | null) {
  const extra = signature === undefined ? {} : { signature };
  const trigger = node('hook', 'trigger_webhook', extra);
  return { ...trigger, config: { ...trigger.config, credential_id: credentialId } };
}

describe('a webhook trigger', () => {
  it('that checks signatures without a credential is odd', () => {
    expect(checkSignature(hook('git_host_a', null))).toEqual([
      {
        code: 'missing_setting',
        severity: 'warning',
        nodeId: 'hook',
        field: 'credential_id',
        message: "Node 'hook' checks signatures and has no credential with a webhook_secret: set its credential_id",
      },
    ]);
  });

  it.each([
    [undefined, null],
    ['none', null],
    ['git_host_a', 1],
  ])('with the signature %s and the credential %s is not', (signature, id) => {
    expect(checkSignature(hook(signature, id))).toEqual([]);
  });
});
