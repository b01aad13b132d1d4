import { FileCode2, ListTree, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CommandId } from '../commands/command-table.ts';
import { hintsOf, useCommands } from '../commands/use-commands.ts';
import { classes } from '../ui/classes.ts';

/** What the editor shows of the graph: as a drawing or as a tree, and its text beside it. */
export interface EditorView {
  readonly main: 'canvas' | 'outline';
  readonly hasText: boolean;
}

/** A phone is too narrow to draw on, so the editor begins with the outline. */
export function firstView(): EditorView {
  return { main: window.matchMedia('(width < 48rem)').matches ? 'outline' : 'canvas', hasText: false };
}

interface ViewSwitchProps {
  readonly view: EditorView;
  readonly onChange: (view: EditorView) => void;
}

/** Buttons for the views of the editor. */
export function ViewSwitch({ view, onChange }: ViewSwitchProps) {
  const mains = [
    { main: 'canvas', text: 'Canvas', command: 'view.canvas', Icon: Workflow },
    { main: 'outline', text: 'Outline', command: 'view.outline', Icon: ListTree },
  ] as const;
  const toggleText = (): void => onChange({ ...view, hasText: !view.hasText });
  useCommands({
    'view.canvas': { run: () => onChange({ ...view, main: 'canvas' }), isEnabled: view.main !== 'canvas' },
    'view.outline': { run: () => onChange({ ...view, main: 'outline' }), isEnabled: view.main !== 'outline' },
    'view.text': { run: toggleText },
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a border and cannot be a flex row everywhere.
    <div role="group" aria-label="View" className="flex rounded-control border border-line bg-sunken p-0.5">
      {mains.map(({ main, text, command, Icon }) => (
        <Choice
          key={main}
          text={text}
          command={command}
          icon={<Icon size={15} aria-hidden="true" />}
          isPressed={view.main === main}
          onPress={() => onChange({ ...view, main })}
        />
      ))}
      <Choice
        text="YAML"
        command="view.text"
        icon={<FileCode2 size={15} aria-hidden="true" />}
        isPressed={view.hasText}
        onPress={toggleText}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly text: string;
  readonly command: CommandId;
  readonly icon: ReactNode;
  readonly isPressed: boolean;
  readonly onPress: () => void;
}

function Choice({ text, command, icon, isPressed, onPress }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      {...hintsOf(command)}
      onClick={onPress}
      className={classes(
        'inline-flex h-7 min-w-7 items-center justify-center gap-1.5 rounded-[5px] px-2 text-[12px]',
        isPressed ? 'bg-raised font-medium text-ink shadow-sm' : 'text-muted hover:text-ink',
      )}
    >
      {icon}
      <span className="max-xl:sr-only">{text}</span>
    </button>
  );
}
