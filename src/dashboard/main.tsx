import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestFailed } from '../client/read-answer.ts';
import { watchPage } from './api/client.ts';
import { prefetchSession } from './api/prefetch-session.ts';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { preloadPage } from './routes.ts';
import { readStyleNonce } from './style-nonce.ts';

// react-remove-scroll reads the nonce of its style elements from this global.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() });

watchPage(window);
const queryClient = createQueryClient();
void prefetchSession(queryClient);
// Loads the page in parallel, so that no fallback is shown.
await preloadPage(location.pathname);

/** Failed requests are shown on the page. Only other errors go to the console. */
function reportCaught(error: unknown): void {
  if (!(error instanceof RequestFailed)) console.error(error);
}

createRoot(document.getElementById('root')!, { onCaughtError: reportCaught }).render(
  <StrictMode>
    <App queryClient={queryClient} />
  </StrictMode>,
);
