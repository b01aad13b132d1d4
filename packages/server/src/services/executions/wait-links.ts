import { createHash } from 'node:crypto';
import type { Instant, JsonObject, PauseKey, StepState } from '@millrace/core';
import type { Vault } from '../../secrets/keys/vault.ts';

/** A step of a run that can be answered through a link. */
export interface LinkedStep extends Pick<PauseKey, 'frame' | 'nodeId'> {
  readonly executionId: string;
}

/** The contents of a link. */
export type LinkContent =
  | (LinkedStep & { readonly kind: 'callback'; readonly isSigned: boolean })
  | (LinkedStep & {
      readonly kind: 'answer';
      readonly confirmed: boolean;
      /** Only links of earlier releases contain their own expiry. */
      readonly until: Instant | null;
    });

/**
 * Links that answer steps without an API key. A link is signed with a secret of this installation over the run, the
 * frame, the node and the answer, so nobody can forge or alter one. None is stored, so a link can be sent before its
 * step has paused. A link is always the same, so that every attempt of a step that sends it sends the same one.
 */
export interface WaitLinks {
  callbackUrl(step: LinkedStep): string;
  /** The hash that the wait of a callback stores instead of the token. */
  callbackHash(step: LinkedStep): string;
  answerUrl(step: LinkedStep, isConfirmed: boolean): string;
  /** Null for a foreign link. A callback may be signed with a key that is gone: then its hash decides. */
  read(token: string): LinkContent | null;
  hashOf(token: string): string;
  /** The output ports of a step that contain its links. */
  outputsOf(executionId: string, step: Pick<StepState, 'node' | 'frame'>): JsonObject;
}

interface WaitLinksPorts {
  readonly vault: Pick<Vault, 'sign' | 'isSigned'>;
  /** The public address of this service, without a trailing slash. */
  readonly baseUrl: () => string;
}

/**
 * Longer than any token of this service: the token names a node and the maximum number of loops around it, each with up
 * to 255 characters, in base64. An address with it still fits in the 8 KiB that proxies usually accept.
 */
export const maxTokenLength = 8000;

export function createWaitLinks({ vault, baseUrl }: WaitLinksPorts): WaitLinks {
  const tokenOf = (words: readonly unknown[]): string => {
    const text = Buffer.from(JSON.stringify(words)).toString('base64url');
    return `${text}.${vault.sign(text)}`;
  };
  const callbackToken = ({ executionId, frame, nodeId }: LinkedStep): string =>
    tokenOf(['callback', executionId, frame, nodeId]);
  const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
  const links: WaitLinks = {
    callbackUrl: (step) => `${baseUrl()}/api/v1/callbacks/${callbackToken(step)}`,
    callbackHash: (step) => hashOf(callbackToken(step)),
    answerUrl: ({ executionId, frame, nodeId }, isConfirmed) =>
      `${baseUrl()}/api/v1/answers/${tokenOf(['answer', executionId, frame, nodeId, isConfirmed])}`,
    hashOf,
    read(token) {
      if (token.length > maxTokenLength) return null;
      const [text = '', ...signature] = token.split('.');
      const words = wordsOf(text);
      if (words === null) return null;
      const isSigned = vault.isSigned(text, signature.join('.'));
      if (words.kind === 'callback') return { ...words, isSigned };
      return isSigned ? words : null;
    },
    outputsOf(executionId, { node, frame }) {
      const step = { executionId, frame: frame.key, nodeId: node.nodeId };
      const addresses: Readonly<Record<string, () => string>> = {
        callback_url: () => links.callbackUrl(step),
        approve_url: () => links.answerUrl(step, true),
        decline_url: () => links.answerUrl(step, false),
      };
      return Object.fromEntries((node.component.links ?? []).map((port) => [port, addresses[port]?.() ?? null]));
    },
  };
  return links;
}

/** The execution that a token names, whether or not it is signed; null if it names none. */
export function executionOfToken(token: string): string | null {
  return wordsOf(token.split('.', 1)[0] ?? '')?.executionId ?? null;
}

type Content = (LinkedStep & { readonly kind: 'callback' }) | Extract<LinkContent, { kind: 'answer' }>;

function wordsOf(text: string): Content | null {
  const words = parsed(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(words)) return null;
  const [kind, executionId, frame, nodeId, confirmed, until = null] = words as unknown[];
  if (typeof executionId !== 'string' || typeof frame !== 'string' || typeof nodeId !== 'string') return null;
  const step = { executionId, frame, nodeId };
  if (kind === 'callback') return { kind, ...step };
  if (kind !== 'answer' || typeof confirmed !== 'boolean') return null;
  if (until !== null && typeof until !== 'number') return null;
  return { kind, ...step, confirmed, until };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
