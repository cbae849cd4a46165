import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askFirst } from './api/ask-first.ts';
import { watchPage } from './api/client.ts';
import { RequestFailed } from './api/problem.ts';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { preloadPage } from './routes.ts';
import { readStyleNonce } from './style-nonce.ts';

// Where the library that keeps the page still behind a dialog looks for the nonce of its style elements.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() });

watchPage(window);
const queryClient = createQueryClient();
void askFirst(queryClient);
// While that is asked. React keeps a placeholder for 300 ms, so none is shown for a file that is about to be there.
await preloadPage(location.pathname);

/** What a page could not get is said in its place; errors of our own are for the console. */
function reportCaught(error: unknown): void {
  if (!(error instanceof RequestFailed)) console.error(error);
}

createRoot(document.getElementById('root')!, { onCaughtError: reportCaught }).render(
  <StrictMode>
    <App queryClient={queryClient} />
  </StrictMode>,
);
