import type { CredentialType } from '../api/credentials.ts';

/** What a credential of each type is for. */
export const typeLooks: Readonly<Record<CredentialType, { readonly name: string; readonly purpose: string }>> = {
  llm: { name: 'Language model', purpose: 'A key for a model provider, used by agents and model nodes.' },
  tool: { name: 'HTTP API', purpose: 'A token or password that HTTP requests send to chosen hosts.' },
  chat_bot: { name: 'Chat bot', purpose: 'The token of a bot on a chat platform.' },
  git: { name: 'Git host', purpose: 'An access token or SSH key for a Git host.' },
};

export const credentialTypes = Object.keys(typeLooks) as readonly CredentialType[];

/** Whether a text is a type of credentials. */
export function isCredentialType(text: string): text is CredentialType {
  return Object.hasOwn(typeLooks, text);
}

/** One field of the form of a credential. */
export interface CredentialField {
  /** Where its value is in the detail; the first name for the form. */
  readonly path: readonly string[];
  readonly label: string;
  readonly kind: 'text' | 'secret' | 'private_key' | 'choice' | 'headers' | 'hosts' | 'json';
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly (readonly [value: string, name: string])[];
  /** The field is part of the form only while another one has this value. */
  readonly onlyIf?: readonly [key: string, values: readonly string[]];
}

/** The choice of `config.scheme` for a config that has none of the schemes: it is edited as JSON. */
export const customScheme = 'custom';

const schemes = [
  ['bearer', 'Bearer token'],
  ['basic', 'User name and password'],
  ['header', 'Secret in a header'],
  ['query', 'Secret in the query'],
  [customScheme, 'Other (JSON)'],
] as const;

const onlyTools = (...values: readonly string[]) => ['config.scheme', values] as const;

/** The fields of each type, in the order of the form. */
export const credentialFields: Readonly<Record<CredentialType, readonly CredentialField[]>> = {
  llm: [
    {
      path: ['provider_type'],
      label: 'API',
      kind: 'choice',
      choices: [
        ['provider_a_compatible', 'Provider A or compatible'],
        ['provider_b', 'Provider B'],
      ],
    },
    { path: ['api_key'], label: 'API key', kind: 'secret' },
    {
      path: ['base_url'],
      label: 'Base URL',
      kind: 'text',
      placeholder: 'https://…/v1',
      hint: 'Empty for the public address of the provider. The key is sent only to this address.',
    },
    {
      path: ['organization_id'],
      label: 'Organization',
      kind: 'text',
      onlyIf: ['provider_type', ['provider_a_compatible']],
    },
    {
      path: ['custom_headers'],
      label: 'Additional headers',
      kind: 'headers',
      placeholder: 'X-Team: billing',
      hint: 'One header per line. The values are stored as secrets.',
    },
  ],
  tool: [
    { path: ['config', 'scheme'], label: 'Authentication', kind: 'choice', choices: schemes },
    { path: ['config', 'token'], label: 'Token', kind: 'secret', isRequired: true, onlyIf: onlyTools('bearer') },
    { path: ['config', 'username'], label: 'User name', kind: 'text', isRequired: true, onlyIf: onlyTools('basic') },
    { path: ['config', 'password'], label: 'Password', kind: 'secret', isRequired: true, onlyIf: onlyTools('basic') },
    {
      path: ['config', 'name'],
      label: 'Name of the header or parameter',
      kind: 'text',
      placeholder: 'X-API-Key',
      isRequired: true,
      onlyIf: onlyTools('header', 'query'),
    },
    {
      path: ['config', 'secret'],
      label: 'Secret',
      kind: 'secret',
      isRequired: true,
      onlyIf: onlyTools('header', 'query'),
    },
    {
      path: ['config', 'allowed_hosts'],
      label: 'Allowed hosts',
      kind: 'hosts',
      placeholder: 'api.example.com',
      hint: 'Separated by commas. The secret is sent to no other host.',
      isRequired: true,
      onlyIf: onlyTools('bearer', 'basic', 'header', 'query'),
    },
    {
      path: ['config'],
      label: 'Configuration',
      kind: 'json',
      hint: 'A JSON object. Texts under keys that look secret are masked after saving.',
      onlyIf: onlyTools(customScheme),
    },
  ],
  chat_bot: [
    { path: ['bot_token'], label: 'Bot token', kind: 'secret' },
    { path: ['allowed_user_ids'], label: 'Allowed users', kind: 'text', hint: 'User ids, separated by commas.' },
  ],
  git: [
    { path: ['provider'], label: 'Host', kind: 'text', placeholder: 'git_host_a', isRequired: true },
    {
      path: ['credential_type'],
      label: 'Authentication',
      kind: 'choice',
      choices: [
        ['token', 'Access token'],
        ['ssh', 'SSH key'],
      ],
    },
    { path: ['username'], label: 'User name', kind: 'text' },
    { path: ['access_token'], label: 'Access token', kind: 'secret', onlyIf: ['credential_type', ['token']] },
    { path: ['ssh_private_key'], label: 'Private key', kind: 'private_key', onlyIf: ['credential_type', ['ssh']] },
    {
      path: ['webhook_secret'],
      label: 'Webhook secret',
      kind: 'secret',
      hint: 'Verifies that a request comes from the host.',
    },
  ],
};

/** The name of a field in the values of the form. */
export function keyOf(field: CredentialField): string {
  return field.path.join('.');
}

/** Whether the field contains a secret as a whole: its stored value is never shown. */
export function isSecret(field: CredentialField): boolean {
  return field.kind === 'secret' || field.kind === 'private_key';
}
