import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** A program that is an MCP server on its standard input and output. */
export interface McpProgram {
  /** The absolute path of its file. */
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment, besides `PATH`, `HOME` and the like. */
  readonly env: Readonly<Record<string, string>>;
}

/** The programs that the operator allows, by the names that nodes use. */
export type McpPrograms = ReadonlyMap<string, McpProgram>;

/** The file of the operator cannot be used. The message is one line. */
export class McpProgramsError extends Error {}

const program = z.strictObject({
  command: z.string().refine(isAbsolute, 'must be the absolute path of a program'),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});

/** As nodes write them. */
const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a name of 1 to 64 letters, digits, _ or -');

/** Reads the file of the operator: `{name: {command, args?, env?}}`. @throws McpProgramsError */
export function readMcpPrograms(file: string): McpPrograms {
  const parsed = z.record(name, program).safeParse(jsonIn(file));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const [first] = parsed.error.issues;
  // The values may be secrets.
  throw new McpProgramsError(`${file} is not valid: ${first?.path.join('.') || 'it'}: ${first?.message ?? ''}`);
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const isJson = error instanceof SyntaxError;
    throw new McpProgramsError(isJson ? `${file} is not JSON` : `${file} cannot be read`);
  }
}
