import { describe, expect, it } from 'vitest';
import { proseWidth, wrapped } from './wrapped.ts';

const long = 'A sentence of several words that is repeated. '.repeat(5).trim();

describe('a wrapped Markdown page', () => {
  it('has paragraphs whose lines are filled up to the width', () => {
    const lines = wrapped(long).split('\n');
    expect(lines.join(' ')).toBe(long);
    for (const [at, line] of lines.entries()) {
      const [next = ''] = lines[at + 1]?.split(' ') ?? [];
      expect(line.length).toBeLessThanOrEqual(proseWidth);
      if (next !== '') expect(`${line} ${next}`.length).toBeGreaterThan(proseWidth);
    }
    expect(wrapped('A paragraph\nwith an early break.')).toBe('A paragraph with an early break.');
  });

  it('has indented further lines in the items of a list', () => {
    const lines = wrapped(`- ${long}\n- short`).split('\n');
    expect(lines.map((line) => line.slice(0, 2))).toEqual(['- ', '  ', '  ', '- ']);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(proseWidth);
  });

  it('keeps code blocks, tables, headings and comments', () => {
    const parts = [
      `# ${long}`,
      `\`\`\`\n${long}\n\n- ${long}\n\`\`\``,
      `| a |\n| --- |\n| ${long} |`,
      `<!-- ${long} -->`,
    ];
    expect(wrapped(parts.join('\n\n'))).toBe(parts.join('\n\n'));
  });

  it('does not split code, and begins no line with the marker of a list', () => {
    const code = `${'word '.repeat(18)}\`code with several words\` end`;
    expect(wrapped(code).split('\n')[1]).toBe('`code with several words` end');
    for (const marker of ['-', '+', '*', '>', '#', '1.']) {
      const [, second] = wrapped(`${'x'.repeat(proseWidth - 1)} ${marker} more`).split('\n');
      expect(second).toBe('more');
    }
  });
});
