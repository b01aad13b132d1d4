import { Problem, type SecretFill, StepError } from '@millrace/core';
import type { Vault } from './keys/vault.ts';
import { originsOf } from './tool-secret.ts';
import { openVariable, type VariableSubject } from './variable-secret.ts';

/** Placeholders in a request, and the secret variables that they stand for. */
export type Placeholders = ReadonlyMap<string, string>;

/** The variables of a workflow. */
export interface VariableReader {
  sealedFor(params: {
    workflowId: number | null;
    name: string;
  }): Promise<(VariableSubject & { readonly sealed: string | null }) | null>;
}

interface Call {
  readonly nodeId: string;
  readonly workflowId: number;
  readonly variables: Placeholders;
  /** Where the request goes. */
  readonly origin: string;
}

/** Secret variables that are open for one request. */
export interface OpenVariables {
  readonly fill: SecretFill;
  /** What is masked in answers and errors. */
  readonly texts: readonly string[];
}

/** Secret variables in one request: each is searched for in many encodings in everything that the server answers. */
const maxSecrets = 10;

/** HTTP servers read a header's value as one line of printable Latin-1. */
const headerLine = /^[\t -~\u0080-\u00ff]*$/;

/**
 * Opens the secret variables of a request, each for the hosts that it may be sent to.
 * @throws StepError config, variable_missing, variable_origin, secret_unreadable
 */
export async function openVariables(
  { store, vault }: { readonly store: VariableReader; readonly vault: Vault },
  { nodeId, workflowId, variables, origin }: Call,
): Promise<OpenVariables> {
  if (variables.size > maxSecrets) {
    const message = `Node '${nodeId}' sends ${variables.size} secret variables in one request: at most ${maxSecrets} are allowed.`;
    throw new StepError('config', message);
  }
  const secrets = new Map<string, Secret>();
  for (const [placeholder, name] of variables) {
    const words = `Node '${nodeId}' sends variable '${name}'`;
    const stored = await store.sealedFor({ workflowId, name });
    if (stored === null || stored.sealed === null) {
      throw new StepError('variable_missing', `${words}, which is not a secret variable any more.`);
    }
    // The client rejects an invalid URL with its own message.
    if (origin !== '' && !originsOf(stored.allowedHosts).includes(origin)) {
      throw new StepError('variable_origin', `${words} to ${origin}, which its allowed_hosts do not name.`);
    }
    secrets.set(placeholder, { name, value: opened(vault, { ...stored, sealed: stored.sealed }) });
  }
  const values = [...secrets.values()].map(({ value }) => value);
  // The forms in which requests contain the value: a server may repeat them inside a text, which encodes them again.
  const sent = new Set(values.flatMap((value) => [value, encoded(value), jsonText(value)]));
  return { fill: fillOf(secrets), texts: [...sent, ...secrets.keys()] };
}

interface Secret {
  readonly name: string;
  readonly value: string;
}

function opened(vault: Vault, stored: VariableSubject & { readonly sealed: string }): string {
  try {
    return openVariable(vault, stored);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'secret_unreadable') throw error;
    const message = `The secret of variable '${stored.name}' cannot be opened: it is damaged, or its key is missing. Enter its value again.`;
    throw new StepError(error.code, message);
  }
}

function fillOf(secrets: ReadonlyMap<string, Secret>): SecretFill {
  const replaced = (text: string, write: (secret: Secret) => string): string => {
    let filled = text;
    for (const [placeholder, secret] of secrets) filled = filled.replaceAll(placeholder, () => write(secret));
    return filled;
  };
  return {
    header: (text) => replaced(text, headerValue),
    query: (text) => replaced(text, ({ value }) => encoded(value)),
    body: (text, contentType) => replaced(text, ({ value }) => bodyText(value, contentType)),
    isIn: (text) => [...secrets.keys()].some((placeholder) => text.includes(placeholder)),
  };
}

function headerValue({ name, value }: Secret): string {
  if (headerLine.test(value)) return value;
  const message = `The value of variable '${name}' cannot be sent in a header: it must be one line of Latin-1 characters.`;
  throw new StepError('config', message);
}

/** The secret in the encoding of the body: JSON and forms escape special characters differently. */
function bodyText(value: string, contentType: string): string {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  if (/[/+]json$/.test(type.trim())) return jsonText(value);
  return type.trim() === 'application/x-www-form-urlencoded' ? encoded(value) : value;
}

/** The value inside a JSON string, without the quotation marks. */
function jsonText(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
