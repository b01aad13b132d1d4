import { useEffect, useState } from 'react';
import { live } from '../api/live.ts';
import { partOf, type StreamedTexts, withPart } from '../state/streamed-texts.ts';
import type { AgentPlace } from './conversation.ts';

/** The text that the model of an agent is writing, and the call that it belongs to; null if there is none. */
export function useStreamedCall(
  executionId: string,
  { nodeId, frame }: AgentPlace,
): { readonly call: number | null; readonly text: string } | null {
  const [texts, setTexts] = useState<StreamedTexts>(new Map());
  useEffect(() => {
    let current: StreamedTexts = new Map();
    let painting: number | null = null;
    const unsubscribe = live.subscribe(`execution:${executionId}`, {
      event: (message) => {
        if (message.type !== 'token') return;
        const part = partOf(message);
        if (part.nodeId !== nodeId || part.frame !== frame) return;
        current = withPart(current, part);
        // A browser paints no more often.
        painting ??= requestAnimationFrame(() => {
          painting = null;
          setTexts(current);
        });
      },
      gap: () => undefined,
      rejected: () => undefined,
    });
    return () => {
      unsubscribe();
      if (painting !== null) cancelAnimationFrame(painting);
    };
  }, [executionId, nodeId, frame]);
  return texts.get(executionId) ?? null;
}
