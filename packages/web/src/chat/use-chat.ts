import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { chatHistoryQuery, sendMessage } from '../api/chats.ts';
import { live } from '../api/live.ts';
import { partOf, type StreamedTexts, withPart } from '../state/streamed-texts.ts';
import { isUnlisted, type SentMessage, turnsWith } from './conversations.ts';

/** A chat with a workflow: its history, the messages that are being sent, and the answers that are being written. */
export function useChat(slug: string) {
  const cache = useQueryClient();
  const history = useQuery(chatHistoryQuery(slug));
  const [sent, setSent] = useState<readonly SentMessage[]>([]);
  const streamed = useStreamedTexts(
    slug,
    () => void cache.invalidateQueries({ queryKey: chatHistoryQuery(slug).queryKey }),
  );
  const turns = history.data?.items ?? [];
  const send = async (text: string, sessionId: string): Promise<void> => {
    const message: SentMessage = { sessionId, text, earlier: turnsWith(turns, { sessionId, text }), error: null };
    setSent((before) => [...before.filter((other) => isUnlisted(other, turns) && other.error === null), message]);
    try {
      await sendMessage(slug, text, sessionId);
      await cache.invalidateQueries({ queryKey: chatHistoryQuery(slug).queryKey });
    } catch (failure) {
      const error = failure instanceof Error ? failure.message : String(failure);
      setSent((before) => before.map((other) => (other === message ? { ...message, error } : other)));
    }
  };
  return { turns, error: history.error, isPending: history.isPending, sent, streamed, send };
}

/** What models are writing, published once per frame: a browser paints no more often. */
function useStreamedTexts(slug: string, onChange: () => void): StreamedTexts {
  const [texts, setTexts] = useState<StreamedTexts>(new Map());
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    let current: StreamedTexts = new Map();
    let frame: number | null = null;
    const publish = (): void => {
      frame = null;
      setTexts(current);
    };
    const unsubscribe = live.subscribe(`workflow:${slug}`, {
      event: (message) => {
        if (message.type === 'token') {
          current = withPart(current, partOf(message));
          frame ??= requestAnimationFrame(publish);
        } else if (message.type.startsWith('execution_')) changed.current();
      },
      gap: () => changed.current(),
      rejected: () => changed.current(),
    });
    return () => {
      unsubscribe();
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [slug]);
  return texts;
}
