import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert, Wrench, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { nodeTypesQuery } from '../../api/node-types.ts';
import { validationQuery } from '../../api/validation.ts';
import { hintsOf, useCommands, usePaletteItems } from '../../commands/use-commands.ts';
import type { OpenDraft } from '../../state/use-draft.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Problem, problemsOf } from './problem.ts';

interface ProblemsButtonProps {
  readonly slug: string;
  readonly draft: OpenDraft;
  /** Shows the form of a node, and moves the focus to a field of it. */
  readonly onShow: (nodeId: string, path: string | null) => void;
}

/** The number of problems of the graph, and their list. F8 goes to the next one. */
export function ProblemsButton({ slug, draft, onShow }: ProblemsButtonProps) {
  const { graph, perform, snapshot } = draft;
  const { data } = useQuery(validationQuery(slug, snapshot.view.graph.version));
  const { data: types } = useQuery(nodeTypesQuery);
  const problems = useMemo(() => problemsOf(data?.issues ?? [], graph, types ?? {}), [data, graph, types]);
  const [isOpen, setIsOpen] = useState(false);
  const show = ({ nodeId, field }: Problem): void => {
    if (nodeId !== null) onShow(nodeId, field);
  };
  const current = useProblemCommands(problems, show);
  useCommands({ 'problems.show': { run: () => setIsOpen(!isOpen) } });
  usePaletteItems('problem', () =>
    problems.map((problem) => {
      const { id, message, place } = problem;
      return { id: `problem ${id}`, title: message, detail: place, run: () => show(problem) };
    }),
  );
  const errors = problems.filter(({ isError }) => isError).length;
  const Icon = problems.length === 0 ? CircleCheck : errors > 0 ? CircleAlert : TriangleAlert;
  return (
    <div className="relative">
      <Button
        kind="quiet"
        aria-expanded={isOpen}
        aria-label={summaryOf(problems.length, errors)}
        {...hintsOf('problems.next', 'Problems')}
        icon={<Icon size={15} aria-hidden="true" className={errors > 0 ? 'text-danger' : 'text-muted'} />}
        onClick={() => setIsOpen(!isOpen)}
      >
        {problems.length}
      </Button>
      {isOpen && (
        <section
          aria-label="Problems"
          className="fixed top-16 left-56 z-30 flex max-h-[70vh] w-[24rem] flex-col rounded-card border border-line bg-raised shadow-xl max-md:inset-x-2 max-md:w-auto"
        >
          <header className="flex items-center border-line border-b py-1.5 pr-1.5 pl-3">
            <h2 className="mr-auto font-semibold text-[14px]">Problems</h2>
            <IconButton
              label="Close problems"
              icon={<X size={15} aria-hidden="true" />}
              onClick={() => setIsOpen(false)}
            />
          </header>
          {problems.length === 0 && <p className="p-4 text-[13px] text-muted">No problems. The workflow can run.</p>}
          <ul className="min-h-0 overflow-y-auto p-1">
            {problems.map((problem, index) => (
              <ProblemRow
                key={problem.id}
                problem={problem}
                isCurrent={index === current}
                onShow={() => show(problem)}
                onFix={() => problem.fix !== null && perform(problem.fix.name, problem.fix.operations)}
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The name of the button. It begins with the number that is on it. */
function summaryOf(problems: number, errors: number): string {
  const counts = [counted(errors, 'error'), counted(problems - errors, 'warning')].filter((text) => text !== null);
  return [counted(problems, 'problem') ?? '0 problems', ...(counts.length > 0 ? [counts.join(', ')] : [])].join(': ');
}

function counted(count: number, word: string): string | null {
  return count === 0 ? null : `${count} ${word}${count === 1 ? '' : 's'}`;
}

interface ProblemRowProps {
  readonly problem: Problem;
  readonly isCurrent: boolean;
  readonly onShow: () => void;
  readonly onFix: () => void;
}

function ProblemRow({ problem, isCurrent, onShow, onFix }: ProblemRowProps) {
  const { isError, message, hint, place, fix } = problem;
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <li className={classes('flex flex-col gap-1 rounded-control p-2', isCurrent && 'bg-accent-soft')}>
      <button type="button" className="flex gap-2 rounded-control text-left hover:underline" onClick={onShow}>
        <Icon
          size={15}
          className={classes('mt-0.5 shrink-0', isError ? 'text-danger' : 'text-warning')}
          aria-label={isError ? 'Error' : 'Warning'}
        />
        <span className="min-w-0">
          <span className="block break-words text-[13px]">{message}</span>
          {place !== '' && <span className="block text-[12px] text-muted">{place}</span>}
        </span>
      </button>
      {hint !== null && <p className="pl-6 text-[12px] text-muted">{hint}</p>}
      {fix !== null && (
        <Button className="ml-6 self-start" icon={<Wrench size={13} aria-hidden="true" />} onClick={onFix}>
          {fix.name}
        </Button>
      )}
    </li>
  );
}

/** Goes through the problems. Returns the place of the current one; -1 if there is none. */
function useProblemCommands(problems: readonly Problem[], show: (problem: Problem) => void): number {
  const [current, setCurrent] = useState(-1);
  const go = (step: number): void => {
    const next = (Math.max(current, step > 0 ? -1 : 0) + step + problems.length) % problems.length;
    setCurrent(next);
    const problem = problems[next];
    if (problem !== undefined) show(problem);
  };
  const isEnabled = problems.length > 0;
  useCommands({
    'problems.next': { run: () => go(1), isEnabled },
    'problems.previous': { run: () => go(-1), isEnabled },
  });
  return current;
}
