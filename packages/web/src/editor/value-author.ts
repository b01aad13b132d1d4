import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { versionQuery, versionsQuery } from '../api/versions.ts';
import { type ContestedValue, hasTheirs } from '../state/draft/contested.ts';
import { graphFrom } from '../state/draft/wire.ts';

/** An edit that is more versions ago has no author: each of these versions is an edit of somebody. */
const versionsBack = 50;

/**
 * The place of the version that made something true, in a list from the newest version to the oldest; null if that
 * version is not in the list. Few versions are looked at, and those first that are new.
 * @param isTrue whether it is true in the version at a place
 */
export async function originOf(count: number, isTrue: (place: number) => Promise<boolean>): Promise<number | null> {
  let [newer, older] = [-1, count];
  for (let place = 0; place < older; place = 2 * place + 1) {
    if (await isTrue(place)) newer = place;
    else older = place;
  }
  while (older - newer > 1) {
    const middle = Math.floor((newer + older) / 2);
    if (await isTrue(middle)) newer = middle;
    else older = middle;
  }
  return newer === -1 || newer === count - 1 ? null : newer;
}

interface SavedValue extends Pick<ContestedValue, 'path' | 'theirs'> {
  readonly slug: string;
  /** The node that has it. */
  readonly id: number | null;
}

function authorQuery(cache: QueryClient, { slug, id, path, theirs }: SavedValue) {
  return queryOptions({
    queryKey: ['workflows', 'value author', slug, id, path, theirs ?? null],
    queryFn: async () => {
      const { items } = await cache.fetchQuery({
        ...versionsQuery(slug, { limit: versionsBack, offset: 0 }),
        staleTime: 0,
      });
      const place = await originOf(items.length, async (at) => {
        const { version = 0 } = items[at] ?? {};
        const { graph } = await cache.fetchQuery(versionQuery(slug, version));
        const node = graphFrom({ version, ...graph }).nodes.find((one) => one.id === id);
        return node !== undefined && hasTheirs(node, { path, theirs });
      });
      return items[place ?? -1]?.author ?? null;
    },
    enabled: id !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Who made a value what it is, as a part of a sentence; null if it is not known. */
export function useValueAuthor(value: SavedValue): string | null {
  const cache = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { data: author = null } = useQuery(authorQuery(cache, value));
  return author !== null && author === session?.user?.username ? 'you on another page' : author;
}
