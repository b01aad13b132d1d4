import { type CommandDefinition, type CommandId, commandIds, definitionOf } from './command-table.ts';
import { isPressed, isSingleKey, type Press } from './keys.ts';

/** What a command does on the present page. */
export interface CommandHandler {
  readonly run: () => void;
  /** Whether it can be run now; by default it can. */
  readonly isEnabled?: boolean;
  /** What it would do now: `Move 3 nodes`, for Undo. */
  readonly detail?: string | null;
}

export type CommandHandlers = Readonly<Partial<Record<CommandId, CommandHandler>>>;

/** A command that can be run now. */
export interface AvailableCommand extends CommandDefinition {
  readonly id: CommandId;
  readonly detail: string | null;
}

/** The kinds of things that the palette finds on a page, besides commands. */
export type ItemKind = 'node' | 'problem';

/** Something that the palette can go to. */
export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  /** Shown behind the title, and searched too. */
  readonly detail?: string;
  readonly run: () => void;
}

/** Where a key was pressed. */
export interface KeyPlace {
  /** In a field, where keys are text. */
  readonly isTyping: boolean;
  /** In the canvas. */
  readonly isCanvas: boolean;
}

/** The commands of the open page: each part of the page registers those that it performs. */
export class CommandRegistry {
  /** The newest comes last, and takes precedence. */
  readonly #handlers: (() => CommandHandlers)[] = [];
  readonly #items = new Map<ItemKind, () => readonly PaletteItem[]>();

  /** Adds handlers, which are read when they are needed. Returns a function that removes them. */
  register(handlers: () => CommandHandlers): () => void {
    this.#handlers.push(handlers);
    return () => void this.#handlers.splice(this.#handlers.indexOf(handlers), 1);
  }

  /** Adds what the palette can go to on this page. Returns a function that removes it. */
  provide(kind: ItemKind, items: () => readonly PaletteItem[]): () => void {
    this.#items.set(kind, items);
    return () => {
      if (this.#items.get(kind) === items) this.#items.delete(kind);
    };
  }

  items(kind: ItemKind): readonly PaletteItem[] {
    return this.#items.get(kind)?.() ?? [];
  }

  /** The commands that can be run now, in the order of the table. */
  available(): readonly AvailableCommand[] {
    return commandIds.flatMap((id) => {
      const handler = this.#handlerOf(id);
      return handler === null ? [] : [{ ...definitionOf(id), id, detail: handler.detail ?? null }];
    });
  }

  /** Runs a command. Returns false if it cannot be run now. */
  run(id: CommandId): boolean {
    const handler = this.#handlerOf(id);
    handler?.run();
    return handler !== null;
  }

  /** The command that a key press runs at a place; null if there is none. */
  pressed(press: Press, { isTyping, isCanvas }: KeyPlace, hasSingleKeys: boolean): CommandId | null {
    const found = commandIds.find((id) => {
      const { keys = [], scope } = definitionOf(id);
      if (isTyping && scope !== 'everywhere') return false;
      if (!isCanvas && scope === 'canvas') return false;
      const matching = keys.filter((one) => isPressed(press, one));
      return matching.some((one) => hasSingleKeys || !isSingleKey(one)) && this.#handlerOf(id) !== null;
    });
    return found ?? null;
  }

  #handlerOf(id: CommandId): CommandHandler | null {
    const newest = this.#handlers.findLast((handlers) => handlers()[id] !== undefined);
    const handler = newest?.()[id];
    return handler === undefined || handler.isEnabled === false ? null : handler;
  }
}
