import { type NodeProps, NodeResizer } from '@xyflow/react';
import { createContext, lazy, memo, Suspense, useContext } from 'react';
import { classes } from '../../ui/classes.ts';
import type { CardNode } from '../flow.ts';
import { useFocusableCard } from '../keyboard/card-focus.ts';
import { NodeProblemMark } from '../node-problems.tsx';
import { least, type NoteArea, type NoteColour, noteOf } from './note.ts';

const Markdown = lazy(async () => ({ default: (await import('../../ui/markdown/markdown.tsx')).Markdown }));

/** Stores the new size of a note; null for a reader. */
export const ResizingContext = createContext<((noteId: string, area: NoteArea) => void) | null>(null);

const tints: Readonly<Record<NoteColour, string>> = {
  grey: 'var(--line-strong)',
  yellow: 'light-dark(#ca8a04, #facc15)',
  green: 'var(--success)',
  blue: 'var(--accent)',
  purple: 'var(--waiting)',
  red: 'var(--danger)',
};

/** A text on the canvas, behind the cards. Those on it move with it. */
export const NoteCard = memo(function NoteCard({ id, data, selected }: NodeProps<CardNode>) {
  const { node } = data;
  const { text, colour } = noteOf(node);
  const resize = useContext(ResizingContext);
  const tint = tints[colour];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form.
    <div
      {...useFocusableCard(id)}
      role="group"
      aria-roledescription="node"
      aria-label={`${node.label ?? node.node_id}, Note`}
      data-note={colour}
      className={classes(
        'relative h-full w-full overflow-visible rounded-card border',
        selected && 'ring-2 ring-accent forced-colors:outline forced-colors:outline-2',
      )}
      style={{
        borderColor: `color-mix(in srgb, ${tint} 55%, var(--surface))`,
        background: `color-mix(in srgb, ${tint} 12%, var(--surface))`,
      }}
    >
      <NodeResizer
        isVisible={selected === true && resize !== null}
        minWidth={least.width}
        minHeight={least.height}
        handleStyle={{ width: 10, height: 10 }}
        onResizeEnd={(_event, { x, y, width, height }) => resize?.(id, { x, y, width, height })}
      />
      <NodeProblemMark nodeId={id} />
      <div className="h-full w-full overflow-hidden px-3 py-2.5 text-[13px]">
        {text === '' ? (
          <p className="text-muted italic">An empty note</p>
        ) : (
          <Suspense fallback={<p className="whitespace-pre-wrap leading-[22px]">{text}</p>}>
            <Markdown text={text} />
          </Suspense>
        )}
      </div>
    </div>
  );
});
