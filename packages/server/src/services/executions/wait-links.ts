import { createHash } from 'node:crypto';
import type { Instant, JsonObject, PauseKey, StepState } from '@millrace/core';
import type { Vault } from '../../secrets/keys/vault.ts';

/** A step of a run that can be answered by an address. */
export interface LinkedStep extends Pick<PauseKey, 'frame' | 'nodeId'> {
  readonly executionId: string;
}

/** What a link says when somebody follows it. */
export type LinkContent =
  | (LinkedStep & { readonly kind: 'callback'; readonly isSigned: boolean })
  | (LinkedStep & {
      readonly kind: 'answer';
      readonly confirmed: boolean;
      /** Only links of earlier releases say themselves how long they work. */
      readonly until: Instant | null;
    });

/**
 * Addresses that answer steps without a key: signed with a secret of this installation over the run, the frame, the node
 * and the answer, so nobody can make one, or turn one into another. None is stored: they can be told before their step
 * has paused. An address is the same each time, so that a step that sends it sends the same at each attempt.
 */
export interface WaitLinks {
  callbackUrl(step: LinkedStep): string;
  /** What a callback's wait keeps instead of the token. */
  callbackHash(step: LinkedStep): string;
  answerUrl(step: LinkedStep, isConfirmed: boolean): string;
  /** Null for what is no link of ours. Of a callback the signature may be of a key that is gone: then its hash counts. */
  read(token: string): LinkContent | null;
  hashOf(token: string): string;
  /** The ports of a step that hold its addresses. */
  outputsOf(executionId: string, step: Pick<StepState, 'node' | 'frame'>): JsonObject;
}

interface WaitLinksPorts {
  readonly vault: Pick<Vault, 'sign' | 'isSigned'>;
  /** Where people and machines reach this service, without a slash at the end. */
  readonly baseUrl: () => string;
}

/**
 * Longer than any token of ours: it names a node and as many loops around it as there may be, each by up to 255 characters,
 * in base64. With it an address still fits in the 8 KiB that proxies usually take.
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
