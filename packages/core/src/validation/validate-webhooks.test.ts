import { describe, expect, it } from 'vitest';
import { node } from '../../test/graphs.ts';
import { noWorld } from './graph-world.ts';
import { checkWebhook } from './validate-webhooks.ts';

const world = {
  ...noWorld,
  signingIssue: (id: number) => (id === 2 ? 'has no webhook_secret' : null),
  basicAuthIssue: (id: number) => (id === 2 ? 'does not have a password' : null),
};

function hook(signature: string | undefined, credentialId: number | null) {
  const extra = signature === undefined ? {} : { signature };
  const trigger = node('hook', 'trigger_webhook', extra);
  return { ...trigger, config: { ...trigger.config, credential_id: credentialId } };
}

describe('a webhook trigger', () => {
  it.each([
    [{ auth: 'basic' }, null, "checks passwords and has no credential with the scheme 'basic'"],
    [{ auth: 'basic' }, 2, 'checks passwords with credential 2, which does not have a password'],
    [{ challenge: 'meta' }, null, 'checks signatures and has no credential with a webhook_secret'],
    [{ auth: 'basic' }, 1, null],
    [{ auth: 'none', challenge: 'slack' }, null, null],
  ])('with %j and the credential %s needs the means to verify its senders', (extra, credential_id, message) => {
    const trigger = node('hook', 'trigger_webhook', extra);
    const issues = checkWebhook({ ...trigger, config: { ...trigger.config, credential_id } }, world);
    expect(issues.map((issue) => issue.message.includes(message ?? ''))).toEqual(message === null ? [] : [true]);
  });

  it('that verifies signatures without a credential causes a warning', () => {
    expect(checkWebhook(hook('git_host_a', null), world)).toEqual([
      {
        code: 'missing_setting',
        severity: 'warning',
        nodeId: 'hook',
        field: 'credential_id',
        message: "Node 'hook' checks signatures and has no credential with a webhook_secret: set its credential_id",
      },
    ]);
  });

  it('that verifies signatures with a credential without a secret causes a warning', () => {
    const message =
      "Node 'hook' checks signatures with credential 2, which has no webhook_secret: give it one, or set another credential_id";
    expect(checkWebhook(hook('hmac_sha256', 2), world)).toMatchObject([{ code: 'missing_setting', message }]);
  });

  it('that is a git trigger always verifies signatures', () => {
    const trigger = node('pushed', 'trigger_git');
    const issuesOf = (credential_id: number | null) =>
      checkWebhook({ ...trigger, config: { ...trigger.config, credential_id } }, world);
    expect(issuesOf(null)).toMatchObject([{ severity: 'warning', field: 'credential_id' }]);
    expect(issuesOf(2)).toMatchObject([{ severity: 'warning', field: 'credential_id' }]);
    expect(issuesOf(1)).toEqual([]);
  });

  it.each([
    [undefined, null],
    ['none', null],
    ['git_host_a', 1],
    ['none', 2],
    [undefined, 2],
  ])('with the signature %s and the credential %s causes none', (signature, id) => {
    expect(checkWebhook(hook(signature, id), world)).toEqual([]);
  });
});
