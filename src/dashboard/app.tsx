import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { createQueryClient } from './api/query-client.ts';
import { LeaveGuard } from './shell/leave-guard.tsx';
import { SessionGate } from './shell/session-gate.tsx';
import { readStyleNonce } from './style-nonce.ts';
import { resolveVariables, theme } from './theme.ts';

export function App() {
  const [queryClient] = useState(createQueryClient);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={readStyleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <LeaveGuard>
          <SessionGate />
        </LeaveGuard>
      </QueryClientProvider>
    </MantineProvider>
  );
}
