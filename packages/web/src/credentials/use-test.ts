import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Credential, testCredential } from '../api/credentials.ts';
import { browserStorage } from '../storage/browser-storage.ts';
import { now } from '../ui/clock.ts';
import { readTest, type TestResult } from './last-test.ts';

const keyOf = (id: number): string => `credential-tests.${id}`;

/** The last test of a credential in this browser, and a way to repeat it. The service stores no results. */
export function useCredentialTest() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (credential: Credential): Promise<TestResult> => {
      const from = now();
      const { ok, error } = await testCredential(credential.id);
      const at = now();
      return { ok, message: error, latencyMs: at - from, at, version: credential.updated_at };
    },
    onSuccess: (result, { id }) => {
      cache.setQueryData(['credential-tests', id, result.version], result);
      try {
        browserStorage.userTexts().setItem(keyOf(id), JSON.stringify(result));
      } catch {
        // Without room in the browser's store, the result is known until the page is reloaded.
      }
    },
  });
}

/** The last result for the present values of a credential; null if it was not tested since its last change. */
export function useLastTest({ id, updated_at: version }: Credential): TestResult | null {
  const { data } = useQuery({
    queryKey: ['credential-tests', id, version],
    queryFn: () => readTest(browserStorage.userTexts().getItem(keyOf(id)), version),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}
