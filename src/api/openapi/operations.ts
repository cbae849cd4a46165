/** What people and programs call a route. */
export interface OperationWords {
  /** Name of the operation in the OpenAPI document, and of the function in generated clients. */
  id: string;
  /** What the route does, in the audit log; only of routes that change something. */
  action?: string;
}

/** Every route, by method and URL as it is registered; a test compares the two. */
export const OPERATIONS: Readonly<Record<string, OperationWords>> = {
  'GET /healthz': { id: 'getHealth' },
  'GET /readyz': { id: 'getReadiness' },
  'GET /metrics': { id: 'getMetrics' },
  'GET /assets/:asset': { id: 'getDashboardFile' },
  'GET /auth/oidc/login': { id: 'beginOidcSignIn' },
  'GET /auth/oidc/callback': { id: 'finishOidcSignIn', action: 'Sign in' },
  'GET /api/v1/openapi.json': { id: 'getOpenApi' },
  'GET /api/v1/schemas': { id: 'listSchemas' },
  'GET /api/v1/schemas/:file': { id: 'getSchema' },
  'GET /api/v1/signature-schemes': { id: 'listSignatureSchemes' },
  'GET /api/v1/ids': { id: 'findIds' },
  'GET /api/v1/why/:ref': { id: 'explainObject' },
  'GET /api/v1/events': { id: 'followEvents' },
  'GET /api/v1/drain': { id: 'getDrain' },
  'POST /api/v1/drain': { id: 'startDrain', action: 'Drain: start no further run' },
  'DELETE /api/v1/drain': { id: 'cancelDrain', action: 'End the drain: start runs again' },
  'POST /api/v1/reload': { id: 'reloadConfiguration', action: 'Reload the configuration' },
  'GET /api/v1/audit': { id: 'listAuditEntries' },
  'GET /api/v1/factories': { id: 'listFactories' },
  'GET /api/v1/factories/:factory': { id: 'getFactory' },
  'DELETE /api/v1/factories/:factory': { id: 'forgetFactory', action: 'Forget factory' },
  'POST /api/v1/factories/:factory/rename': { id: 'renameFactory', action: 'Rename factory' },
  'GET /api/v1/factories/:factory/ancestry/:revision': { id: 'getAncestry' },
  'GET /api/v1/factories/:factory/activity': { id: 'getActivity' },
  'GET /api/v1/factories/:factory/history': { id: 'listRevisions' },
  'POST /api/v1/factories/:factory/reverts': { id: 'revertFactory', action: 'Revert factory' },
  'POST /api/v1/factories/:factory/reconciliations': { id: 'reconcileFactory', action: 'Reconcile' },
  'GET /api/v1/factories/:factory/reconciliations': { id: 'listReconciliations' },
  'GET /api/v1/factories/:factory/reconciliations/:id': { id: 'getReconciliation' },
  'POST /api/v1/factories/:factory/plan': { id: 'planFactory' },
  'POST /api/v1/factories/:factory/backtests': { id: 'backtestTriggers' },
  'POST /api/v1/factories/:factory/filters/test': { id: 'testFilter' },
  'GET /api/v1/factories/:factory/webhooks': { id: 'listWebhooks' },
  'POST /api/v1/factories/:factory/webhooks': { id: 'createWebhook', action: 'Add webhook' },
  'GET /api/v1/factories/:factory/webhooks/:uid': { id: 'getWebhook' },
  'PATCH /api/v1/factories/:factory/webhooks/:uid': { id: 'updateWebhook', action: 'Change webhook' },
  'DELETE /api/v1/factories/:factory/webhooks/:uid': { id: 'deleteWebhook', action: 'Delete webhook' },
  'POST /api/v1/factories/:factory/webhooks/:uid/rotate': {
    id: 'rotateWebhookSecret',
    action: 'Rotate secret of webhook',
  },
  'POST /api/v1/factories/:factory/webhooks/:uid/secret': {
    id: 'setWebhookSecret',
    action: 'Finish webhook setup',
  },
  'POST /api/v1/factories/:factory/webhooks/:uid/test-deliveries': {
    id: 'sendTestDelivery',
    action: 'Send test delivery',
  },
  'POST /api/v1/factories/:factory/webhooks/:uid/capture': { id: 'openCapture', action: 'Open capture window' },
  'DELETE /api/v1/factories/:factory/webhooks/:uid/capture': { id: 'closeCapture', action: 'Close capture window' },
  'GET /api/v1/factories/:factory/webhooks/:uid/payload-keys': { id: 'listPayloadKeys' },
  'GET /api/v1/factories/:factory/webhooks/:uid/deliveries': { id: 'listWebhookDeliveries' },
  'GET /api/v1/factories/:factory/webhooks/:uid/handshakes': { id: 'listHandshakes' },
  'GET /api/v1/factories/:factory/deliveries': { id: 'listDeliveries' },
  'GET /api/v1/deliveries/:id': { id: 'getDelivery' },
  'GET /api/v1/deliveries/:id/payload': { id: 'getDeliveryPayload' },
  'GET /api/v1/deliveries/:id/diagnosis': { id: 'diagnoseDelivery' },
  'GET /api/v1/deliveries/:id/explain': { id: 'explainDelivery' },
  'POST /api/v1/deliveries/:id/replay': { id: 'replayDelivery', action: 'Replay delivery' },
  'GET /api/v1/factories/:factory/automations': { id: 'listAutomations' },
  'POST /api/v1/factories/:factory/automations': { id: 'createAutomation', action: 'Create automation' },
  'GET /api/v1/factories/:factory/automations/:name': { id: 'getAutomation' },
  'PUT /api/v1/factories/:factory/automations/:name': { id: 'putAutomation', action: 'Save automation' },
  'DELETE /api/v1/factories/:factory/automations/:name': { id: 'deleteAutomation', action: 'Delete automation' },
  'GET /api/v1/factories/:factory/runs': { id: 'listRuns' },
  'GET /api/v1/factories/:factory/runs/retryable': { id: 'countRetryableRuns' },
  'POST /api/v1/factories/:factory/runs/retry': { id: 'retryRuns', action: 'Retry runs' },
  'GET /api/v1/runs/:id': { id: 'getRun' },
  'GET /api/v1/runs/:id/input': { id: 'getRunInput' },
  'GET /api/v1/runs/:id/attachments/event-payload.json': { id: 'getRunPayload' },
  'GET /api/v1/runs/:id/log': { id: 'getRunLog' },
  'GET /api/v1/runs/:id/log/times': { id: 'getRunLogTimes' },
  'POST /api/v1/runs/:id/cancel': { id: 'cancelRun', action: 'Cancel run' },
  'POST /api/v1/runs/:id/retry': { id: 'retryRun', action: 'Retry run' },
  'POST /api/v1/runs/claim': { id: 'claimRuns' },
  'POST /api/v1/runs/:id/heartbeat': { id: 'renewRunLease' },
  'POST /api/v1/runs/:id/complete': { id: 'completeRun', action: 'End run' },
  'GET /api/v1/secrets': { id: 'listSecrets' },
  'PUT /api/v1/secrets/:name': { id: 'putSecret', action: 'Store secret' },
  'DELETE /api/v1/secrets/:name': { id: 'deleteSecret', action: 'Delete secret' },
  'POST /api/v1/secrets/:name/diagnoses': { id: 'diagnoseRequest', action: 'Diagnose request with secret' },
  'POST /api/v1/master-key/rotations': { id: 'rotateMasterKey', action: 'Change master key' },
  'GET /api/v1/tokens': { id: 'listTokens' },
  'POST /api/v1/tokens': { id: 'createToken', action: 'Create API token' },
  'DELETE /api/v1/tokens/:id': { id: 'revokeToken', action: 'Revoke API token' },
  'GET /api/v1/users': { id: 'listUsers' },
  'POST /api/v1/users': { id: 'createUser', action: 'Add user' },
  'PATCH /api/v1/users/:id': { id: 'updateUser', action: 'Change user' },
  'DELETE /api/v1/users/:id': { id: 'deleteUser', action: 'Delete user' },
  'GET /api/v1/users/:id/sessions': { id: 'listUserSessions' },
  'DELETE /api/v1/users/:id/sessions': { id: 'endUserSessions', action: 'Sign user out everywhere' },
  'GET /api/v1/sign-in': { id: 'listSignInMethods' },
  'POST /api/v1/session': { id: 'signIn', action: 'Sign in' },
  'GET /api/v1/session': { id: 'getSession' },
  'DELETE /api/v1/session': { id: 'signOut', action: 'Sign out' },
  'POST /api/v1/session/password': { id: 'changeOwnPassword', action: 'Change own password' },
  'GET /api/v1/sessions': { id: 'listOwnSessions' },
  'DELETE /api/v1/sessions': { id: 'endOtherSessions', action: 'Sign out everywhere else' },
  'DELETE /api/v1/sessions/:id': { id: 'endSession', action: 'End own session' },
  'POST /api/v1/login-links': { id: 'createLoginLink', action: 'Make login link' },
};

/** Changes in the audit log that are no requests. */
const INTERNAL_ACTIONS: Readonly<Record<string, string>> = {
  'APPLY /api/v1/factories/:factory/reconciliations/:id': 'Apply definition',
  'PIN /api/v1/factories/:factory/webhooks/:uid': 'Use secret of sender',
};

/** What an entry of the audit log did; method and route for a route that this version does not have. */
export function describeAction(method: string, route: string): string {
  const key = `${method} ${route}`;
  return OPERATIONS[key]?.action ?? INTERNAL_ACTIONS[key] ?? key;
}
