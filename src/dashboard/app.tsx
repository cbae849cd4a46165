import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { LeaveGuard } from './shell/context/leave-guard.tsx';
import { SessionGate } from './shell/session-gate.tsx';
import { readStyleNonce } from './style-nonce.ts';
import { resolveVariables, theme } from './theme.ts';

export function App({ queryClient }: { queryClient: QueryClient }) {
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
