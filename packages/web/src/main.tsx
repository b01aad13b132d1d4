import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './routes.tsx';
import { browserStorage, watchOtherTabs } from './storage/browser-storage.ts';
import './styles.css';

watchOtherTabs(browserStorage);
// A new document has nothing of the user before in its memory. It asks for a login if nobody is logged in.
browserStorage.onEnd(() => window.location.assign('/workflows'));

const element = document.querySelector('#root');
if (element === null) throw new Error('The page has no element with the id root.');
createRoot(element).render(
  <StrictMode>
    {/* The Content-Security-Policy of the service allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
