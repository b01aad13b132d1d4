import type { GraphNode } from '../../state/graph.ts';

/** The type of the nodes that are notes. */
export const noteType = 'notes';

/** The colours of a note, by their names in its config. */
export const noteColours = ['grey', 'yellow', 'green', 'blue', 'purple', 'red'] as const;
export type NoteColour = (typeof noteColours)[number];

/** A note without a size of its own. */
const usual = { width: 216, height: 96 };
/** The smallest note has room for one line of text. */
export const least = { width: 120, height: 64 };

/** What a note shows. */
export interface Note {
  readonly text: string;
  readonly colour: NoteColour;
  readonly width: number;
  readonly height: number;
}

/** The place and the size of a note, in pixels of the canvas. */
export interface NoteArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A note as its config describes it. A value that is not valid yet, while it is typed, counts as missing. */
export function noteOf({ config }: Pick<GraphNode, 'config'>): Note {
  const { text, color, width, height } = config.extra_config as Readonly<Record<string, unknown>>;
  return {
    text: typeof text === 'string' ? text : '',
    colour: noteColours.find((name) => name === color) ?? 'grey',
    width: typeof width === 'number' && width >= least.width ? width : usual.width,
    height: typeof height === 'number' && height >= least.height ? height : usual.height,
  };
}
