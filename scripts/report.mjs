/**
 * Ends a check: prints its problems, or that there are none. A check that read no file fails.
 * @param {{ problems: readonly string[], seen: number, fine: string }} result
 */
export function report({ problems, seen, fine }) {
  const lines = seen === 0 ? [...problems, 'nothing was checked: no such file in this tree'] : problems;
  process.stdout.write(`${lines.length === 0 ? `${seen} ${fine}` : lines.join('\n')}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}
