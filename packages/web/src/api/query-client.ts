import { ApiError } from '@millrace/client';
import { QueryClient } from '@tanstack/react-query';

/** How often a request that the network or an overloaded service failed is repeated. */
const maxRetries = 2;

/** The cache of everything read from the service. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events refresh what changes; this limits how old the rest can be.
      staleTime: 10_000,
      retry: (failures, error) => failures < maxRetries && isPassing(error),
    },
  },
});

/** Whether a later attempt may succeed: the service could not be reached, is starting or is overloaded. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status === 503;
}
