import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { credentialsQuery } from '../../api/credentials.ts';
import { executionsQuery } from '../../api/executions.ts';
import { workflowNamesQuery } from '../../api/workflows.ts';
import type { CommandRegistry } from '../command-registry.ts';
import type { PaletteEntry, PaletteGroup, PaletteScope } from './palette-groups.ts';

/** The newest runs are listed; older ones are found by their complete id. */
const maxRuns = 50;

/** The commands that an open palette lists: those of the page from which it was opened. */
function useCommandEntries(registry: CommandRegistry) {
  const [entries] = useState(() => {
    const all = registry.available().filter(({ id, isKeyOnly }) => isKeyOnly !== true && id !== 'palette.open');
    const listed = all.map(({ id, title, group, detail, keys }) => {
      const run = (): void => void registry.run(id);
      return { id, title: detail === null ? title : `${title}: ${detail}`, group, keys: keys?.[0], run };
    });
    const own = listed.filter(({ group }) => group !== 'Pages' && group !== 'General');
    const general = listed.filter(({ group }) => group === 'General');
    return {
      // What the page itself can do comes first.
      commands: [...own, ...general],
      hasOwn: own.length > 0,
      pages: listed.filter(({ group }) => group === 'Pages'),
      nodes: registry.items('node'),
      problems: registry.items('problem'),
    };
  });
  return entries;
}

/** Everything that the palette can go to, in groups. */
export function usePaletteGroups(registry: CommandRegistry, scope: PaletteScope, words: readonly string[]) {
  const { commands, hasOwn, pages, nodes, problems } = useCommandEntries(registry);
  const navigate = useNavigate();
  const isAll = scope === 'all';
  const { data: workflows = [] } = useQuery({ ...workflowNamesQuery, enabled: isAll });
  const { data: credentials = [] } = useQuery({ ...credentialsQuery, enabled: isAll, retry: false });
  const runs = useRunEntries(isAll || scope === 'runs', words);
  const commandGroup = { value: 'Commands', items: commands };
  const pageGroup = { value: 'Pages', items: pages };
  const groups: readonly PaletteGroup[] = isAll
    ? [
        ...(hasOwn ? [commandGroup, { value: 'Nodes', items: nodes }, pageGroup] : [pageGroup, commandGroup]),
        {
          value: 'Workflows',
          items: workflows.map(({ slug, name }) => {
            const run = (): void => void navigate({ to: '/w/$slug', params: { slug } });
            return { id: `workflow ${slug}`, title: name, detail: slug, run };
          }),
        },
        { value: 'Problems', items: problems },
        { value: 'Runs', items: runs },
        {
          value: 'Credentials',
          items: credentials.map(({ id, name, credential_type: type }) => {
            const run = (): void => void navigate({ to: '/credentials' });
            return { id: `credential ${id}`, title: name, detail: `${type} credential`, run };
          }),
        },
      ]
    : [
        scope === 'commands'
          ? { value: 'Commands', items: [...commands, ...pages] }
          : scope === 'nodes'
            ? { value: 'Nodes', items: nodes }
            : { value: 'Runs', items: runs },
      ];
  return groups;
}

const runId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** The newest runs, and the one whose complete id was typed. */
function useRunEntries(isUsed: boolean, words: readonly string[]): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const filter = {
    ...executionsQuery({ limit: maxRuns, offset: 0 }),
    enabled: isUsed,
    refetchInterval: false as const,
  };
  const { data } = useQuery(filter);
  const open = (id: string) => (): void => void navigate({ to: '/runs/$id', params: { id } });
  const newest = (data?.items ?? []).map(({ execution_id: id, workflow_slug: slug, status, accepted_at: at }) => {
    return { id: `run ${id}`, title: `Run ${id.slice(-6)}`, detail: `${slug}, ${status}, ${at} ${id}`, run: open(id) };
  });
  const [typed = ''] = words;
  if (!runId.test(typed) || newest.some(({ id }) => id === `run ${typed}`)) return newest;
  return [{ id: `run ${typed}`, title: `Run ${typed.slice(-6)}`, detail: typed, run: open(typed) }];
}
