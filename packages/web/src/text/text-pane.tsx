import { CircleAlert, CircleCheck, LoaderCircle, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { DraftStore } from '../state/draft/draft-store.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { NodePlace } from './node-places.ts';
import type { TextSnapshot } from './text-session.ts';
import { useTextSession } from './use-text-session.ts';
import { YamlEditor } from './yaml-editor.tsx';

interface TextPaneProps {
  readonly slug: string;
  readonly store: DraftStore;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string) => void;
  readonly onClose: () => void;
}

/** The workflow as YAML beside the canvas. Both show the same: an edit of one changes the other. */
export function TextPane({ slug, store, selected, onSelect, onClose }: TextPaneProps) {
  const open = useTextSession(slug, store);
  const places = useRef<readonly NodePlace[]>([]);
  const [shown, setShown] = useState<{ readonly at: number } | null>(null);
  const text = open?.snapshot.text ?? null;
  const tools = open?.tools;
  useEffect(() => {
    if (text === null || tools === undefined) return;
    // Closing the pane ends the worker, and with it this question.
    const found = (now: readonly NodePlace[]): void => {
      places.current = now;
    };
    tools.places(text).then(found, () => undefined);
  }, [text, tools]);
  // The node under the cursor is selected on the canvas; that selection must not move the cursor.
  const own = useRef<string | null>(null);
  useEffect(() => {
    const place = places.current.find(({ nodeId }) => nodeId === selected);
    if (place !== undefined && own.current !== selected) setShown({ at: place.from });
    own.current = null;
  }, [selected]);
  const select = (position: number): void => {
    const place = places.current.find(({ from, to }) => from <= position && position <= to);
    if (place === undefined || place.nodeId === selected) return;
    own.current = place.nodeId;
    onSelect(place.nodeId);
  };
  return (
    <section
      aria-label="YAML"
      className="flex min-w-0 flex-col border-line border-r bg-surface max-md:absolute max-md:inset-0 max-md:z-10 md:w-[clamp(320px,36%,560px)] md:shrink-0"
    >
      <header className="flex h-11 shrink-0 items-center gap-2 border-line border-b pr-1 pl-3">
        <h2 className="font-semibold text-[13px]">YAML</h2>
        {open !== null && <TextState snapshot={open.snapshot} />}
        <span className="flex-1" />
        <IconButton label="Close YAML" icon={<X size={16} aria-hidden="true" />} onClick={onClose} />
      </header>
      {open !== null && <TextNotices snapshot={open.snapshot} onDiscard={() => void open.session.discard()} />}
      {open !== null && text !== null && (
        <YamlEditor
          text={text}
          issues={open.snapshot.issues}
          isReadOnly={open.snapshot.isReadOnly}
          shown={shown}
          onChange={(edited) => open.session.edit(edited)}
          onCursor={select}
          onBlur={() => open.session.flush()}
        />
      )}
    </section>
  );
}

function TextState({ snapshot: { state, issues, text, isReadOnly } }: { readonly snapshot: TextSnapshot }) {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const warnings = issues.length - errors;
  if (text === null || state === 'pending') {
    return (
      <span className="inline-flex items-center gap-1.5 text-[12px] text-muted">
        <LoaderCircle size={13} aria-hidden="true" className="motion-safe:animate-spin" />
        {text === null ? 'Loading…' : 'Checking…'}
      </span>
    );
  }
  if (isReadOnly) return <span className="text-[12px] text-muted">Read only</span>;
  if (issues.length === 0) {
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-[12px] text-muted">
        <CircleCheck size={13} aria-hidden="true" />
        No problems
      </span>
    );
  }
  const Icon = errors > 0 ? CircleAlert : TriangleAlert;
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-[12px] text-ink">
      <Icon size={13} aria-hidden="true" className={errors > 0 ? 'text-danger' : 'text-warning'} />
      {[counted(errors, 'error'), counted(warnings, 'warning')].filter((words) => words !== null).join(', ')}
    </span>
  );
}

function counted(count: number, word: string): string | null {
  return count === 0 ? null : `${count} ${word}${count === 1 ? '' : 's'}`;
}

function TextNotices({ snapshot, onDiscard }: { readonly snapshot: TextSnapshot; readonly onDiscard: () => void }) {
  const { state, issues, failure, isReplaced } = snapshot;
  const first = issues.find(({ severity }) => severity === 'error');
  return (
    <div className="empty:hidden flex flex-col gap-2 p-2">
      {state === 'invalid' && first !== undefined && (
        <Notice kind="warning" action={<Button onClick={onDiscard}>Discard</Button>}>
          Line {first.line}: {first.message} The canvas shows the last valid text.
        </Notice>
      )}
      {state === 'failed' && failure !== null && (
        <Notice kind="error" action={<Button onClick={onDiscard}>Discard</Button>}>
          {failure}
        </Notice>
      )}
      {isReplaced && (
        <Notice kind="info">
          The workflow changed in a way that could not be merged into your text. The text was replaced, without its
          comments. Undo in this field brings it back.
        </Notice>
      )}
    </div>
  );
}
