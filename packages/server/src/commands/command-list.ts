import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** The default and the maximum time of a command: a step waits for its end. */
const seconds = { default: 30, longest: 3600 } as const;

const command = z.strictObject({
  path: z.string().refine((path) => isAbsolute(path), 'must be the absolute path of a program'),
  args: z.array(z.string()).default([]),
  options: z.array(z.string().regex(/^-/, "must begin with '-'")).default([]),
  network: z.boolean().default(false),
  seconds: z.number().positive().max(seconds.longest).default(seconds.default),
});

/** A program that workflows may run, as the operator describes it. */
export type AllowedCommand = z.infer<typeof command>;

/** The commands by the names that workflows use. */
export type CommandList = ReadonlyMap<string, AllowedCommand>;

const list = z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, - or _'), command);

/** The operator's file cannot be used. The message is one line for the operator. */
export class CommandListError extends Error {}

/** Reads the operator's file of commands. @throws CommandListError */
export function readCommandList(file: string): CommandList {
  const given = parsedFile(file);
  const parsed = list.safeParse(given);
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const [issue] = parsed.error.issues;
  throw new CommandListError(`MILLRACE_COMMANDS: ${file}: ${issue?.path.join('.') || 'the file'} ${issue?.message}`);
}

function parsedFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new CommandListError(`MILLRACE_COMMANDS: ${file} cannot be read (${code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandListError(`MILLRACE_COMMANDS: ${file} is not JSON`);
  }
}
