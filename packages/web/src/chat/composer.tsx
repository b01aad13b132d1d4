import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useId } from 'react';
import { Button } from '../ui/button.tsx';

interface ComposerProps {
  readonly text: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Whether an answer is being written, which can be stopped. */
  readonly isAnswering: boolean;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

/** The longest message that the service accepts. */
const maxMessage = 100_000;

/** Where a message is written: Enter sends it, Shift+Enter begins another line. */
export function Composer({ text, field, isAnswering, onText, onSend, onStop }: ComposerProps) {
  const id = useId();
  // A limit of the input element would cut a text that is pasted.
  const isTooLong = text.length > maxMessage;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!isAnswering && !isTooLong) onSend();
  };
  return (
    <div className="border-line border-t bg-surface px-4 py-3">
      {isTooLong && (
        <p id={`${id}-long`} role="alert" className="mx-auto mb-1 max-w-3xl text-[12px] text-danger">
          {`Not sent: the message has ${text.length} characters, and ${maxMessage} are allowed.`}
        </p>
      )}
      <div className="mx-auto flex max-w-3xl items-end gap-2">
        <label htmlFor={id} className="sr-only">
          Message
        </label>
        <textarea
          ref={field}
          id={id}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          aria-invalid={isTooLong}
          aria-describedby={isTooLong ? `${id}-long` : undefined}
          placeholder="Write a message"
          onChange={({ target }) => onText(target.value)}
          onKeyDown={onKeyDown}
          className="min-h-10 flex-1 resize-none rounded-card border border-line-strong bg-surface px-3 py-2 text-[14px] placeholder:text-muted"
        />
        {isAnswering ? (
          <Button className="h-10" icon={<Square size={14} aria-hidden="true" />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button
            kind="primary"
            className="h-10"
            icon={<ArrowUp size={16} aria-hidden="true" />}
            disabled={text.trim() === '' || isTooLong}
            onClick={onSend}
          >
            Send
          </Button>
        )}
      </div>
    </div>
  );
}
