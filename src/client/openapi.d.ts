// Generated from the OpenAPI document of the management API by scripts/api-types.ts: npm run generate

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** Any JSON object. */
export type JsonObject = { [key: string]: Json };

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the process alive?
         * @description Also says which program it is. `/healthz` of the ingress listener does not, because anyone can read it.
         *
         *     Open: needs no credentials.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can deliveries be taken?
         * @description Storage is writable, and a definition is loaded for every factory that ever had one. `warnings` lists conditions that do not stop deliveries from being accepted, for example a wrong system clock or a secret that cannot be read.
         *
         *     Open: needs no credentials.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description Role: viewer. Not for tokens that are limited to some factories.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oidc/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in at the OpenID provider
         * @description Open: needs no credentials.
         */
        get: operations["beginOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from the OpenID provider
         * @description A rejected sign-in leads to the sign-in page with one of these as `error`: `denied`, `provider_unavailable`, `invalid_answer`, `too_many`, `expired`, `wrong_domain`, `no_role`, `disabled`.
         *
         *     Open: needs no credentials.
         */
        get: operations["finishOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of the dashboard
         * @description Open: needs no credentials.
         */
        get: operations["getDashboardFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List factories
         * @description Role: viewer.
         */
        get: operations["listFactories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a factory: what it serves and what is wrong
         * @description Role: viewer.
         */
        get: operations["getFactory"];
        put?: never;
        post?: never;
        /**
         * Forget a factory that the configuration no longer names
         * @description Deletes its webhooks, automations, queued runs, and a definition that Dockbell stores. Its URLs never work again. Deliveries and ended runs stay until retention removes them. A factory that gets this name later begins empty. Rejected with 409 while the configuration names the factory.
         *
         *     Role: owner.
         */
        delete: operations["forgetFactory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/ancestry/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether the live commit contains a commit
         * @description For a commit that a later push overtook: it is never applied itself, but it is part of what is live. May ask the repository for some of its history.
         *
         *     Role: viewer.
         */
        get: operations["getAncestry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a factory that the configuration names differently now
         * @description Webhooks keep their UIDs and URLs. Automations, deliveries, runs and history get the new name, and so do the limits of tokens and users. Then the current definition is applied. Rejected with 409 while the configuration names the old factory, if it does not name the new one, or if the new one would lose URLs or a definition.
         *
         *     Role: owner.
         */
        post: operations["renameFactory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the revisions of a managed factory, newest first
         * @description For other factories, the response is 409.
         *
         *     Role: viewer.
         */
        get: operations["listRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/reverts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revert a managed factory to an earlier revision
         * @description Restores the definition as a new revision. It is validated like every other edit. Restored webhooks keep their earlier UIDs. Secrets do not change. `If-Match` takes the `ETag` of the factory.
         *
         *     Role: manager.
         */
        post: operations["revertFactory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count deliveries by label and runs by state, hour by hour
         * @description Whole hours, at most 31 days. Without `from`, the 24 hours before `to`; without `to`, until now. Deliveries are counted when they arrive, also those that are no longer in the log; replays are not counted. Runs are counted in the hour in which they were created, under their current state.
         *
         *     Role: viewer.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is paused in a factory
         * @description Role: viewer.
         */
        get: operations["listPauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a factory: none of its runs starts
         * @description Deliveries are accepted, and their runs wait. Runs that were started continue. The pause outlives a restart, and ends with `DELETE`. A second pause replaces the first one.
         *
         *     Role: operator.
         */
        post: operations["pauseFactory"];
        /**
         * Resume a factory
         * @description Automations that were paused one by one stay paused. Changes nothing if the factory is not paused.
         *
         *     Role: operator.
         */
        delete: operations["resumeFactory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/automations/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an automation: none of its runs starts
         * @description Deliveries are accepted, and its runs wait. Runs that were started continue. The pause outlives a restart, and ends with `DELETE`.
         *
         *     Role: operator.
         */
        post: operations["pauseAutomation"];
        /**
         * Resume an automation
         * @description Works for a deleted automation, too. Changes nothing if it is not paused.
         *
         *     Role: operator.
         */
        delete: operations["resumeAutomation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/pull-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open pull requests and their last checks
         * @description Of a factory with `pullRequests` in `dockbell.yaml`; otherwise 404. The newest comes first. The list is that of the last answer of the git host.
         *
         *     Role: viewer.
         */
        get: operations["listPullRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reconciliations, newest first
         * @description Role: viewer.
         */
        get: operations["listReconciliations"];
        put?: never;
        /**
         * Reconcile now
         * @description Responds immediately, or with `wait=true` when the reconciliation has ended.
         *
         *     Role: operator.
         */
        post: operations["reconcileFactory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/reconciliations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a reconciliation with its plan and findings
         * @description Role: viewer.
         */
        get: operations["getReconciliation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what applying these files would change
         * @description Nothing is written. If the files are not a valid definition, the response is 422 with `diagnostics`. The backtest evaluates stored deliveries of the last 7 days with the changed triggers. The form of secret values is checked for managers. For other roles, it is checked only if the factory uses the secret already.
         *
         *     Role: viewer.
         */
        post: operations["planFactory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Role: viewer.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description A generated secret is in `secret` of this response only. For `url_token`, the URL of this response contains it too. If the provider issues the secret later, the webhook is created disabled. Store the secret in a second step. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a webhook
         * @description A deleted webhook can still be read by its UID; `deleted_at` is set then.
         *
         *     Role: viewer.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Senders get 404 immediately. Automations that select it stay and get a warning; its secret is kept. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Only the given keys change. The changed webhook uses the newest value of its secret. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/test-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery like a real sender
         * @description The daemon posts to its own ingress with the webhook’s credential, which never leaves the store.
         *
         *     Role: operator.
         */
        post: operations["sendTestDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store rejected requests for a diagnosis, for a limited time
         * @description The 20 most recent, at most 1 MiB, in memory only. They are deleted with the window or at a restart. No route returns them.
         *
         *     Role: owner.
         */
        post: operations["openCapture"];
        /**
         * Close the capture window and drop what it kept
         * @description Role: owner.
         */
        delete: operations["closeCapture"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description The old secret stops working immediately. A generated one is in `secret`, only in this response. For live factories; for others, update the team secret, as the response (409) explains.
         *
         *     Role: manager.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook its provider’s secret
         * @description The second step for a provider that issues its secret once it has the URL: stores it and enables the webhook. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        post: operations["setWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/payload-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of stored payloads, for the completion of filters
         * @description Keys of the 50 most recent stored payloads: at most 500, the most frequent first.
         *
         *     Role: viewer.
         */
        get: operations["listPayloadKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a delivery that the daemon missed
         * @description For deliveries from the API of their provider. The daemon posts the delivery to its own ingress, with the original delivery ID, so that a delivery that was accepted before is a duplicate. It posts the original signature if that fits the payload. Otherwise it signs the request with the webhook’s secret. The log marks the delivery with the reason `backfilled` or `backfilled_signed_again`.
         *
         *     Role: operator.
         */
        post: operations["backfillDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/connection/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a webhook with its provider
         * @description The daemon asks the API of the provider for the webhook that posts to this one, and compares it with what the enabled automations of the factory need. It changes nothing.
         *
         *     Role: manager.
         */
        post: operations["planConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or change a webhook at its provider
         * @description Makes exactly the difference that `digest` names, and answers 412 if it is another one now. The daemon sends the provider the secret that the webhook checks at the moment. Repeating the request is safe: if nothing differs, nothing is changed.
         *
         *     Role: manager.
         */
        post: operations["applyConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List automations
         * @description Role: viewer.
         */
        get: operations["listAutomations"];
        put?: never;
        /**
         * Create an automation
         * @description Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        post: operations["createAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/automations/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an automation
         * @description Role: viewer.
         */
        get: operations["getAutomation"];
        /**
         * Create or change an automation
         * @description The body is the whole automation: omitted keys are removed. Returns 201 if the automation was created, and 200 if it was changed. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        put: operations["putAutomation"];
        post?: never;
        /**
         * Delete an automation
         * @description Its runs are kept, also queued ones. Rejected with 409 if a repository decides; the response names the file to edit.
         *
         *     Role: manager.
         */
        delete: operations["deleteAutomation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/filters/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a filter or an automation on a payload or a delivery
         * @description An invalid filter returns 422 with everything that is wrong with it.
         *
         *     Role: viewer.
         */
        post: operations["testFilter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/backtests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test triggers that are not saved yet on stored deliveries
         * @description Evaluates the deliveries of the last 7 days with these triggers and with the applied triggers of the automation. Nothing is written. An invalid filter returns 422.
         *
         *     Role: viewer.
         */
        post: operations["backtestTriggers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a factory, newest first by default
         * @description Deliveries of all its webhooks, including deleted ones. With `search`, `event` or `unmatched`, a page examines at most 2000 deliveries and 64 MiB of payloads and headers. It can have fewer deliveries than `limit`, or none, although `next_cursor` is not `null`.
         *
         *     Role: viewer.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first by default
         * @description With `search`, `event` or `unmatched`, a page examines at most 2000 deliveries and 64 MiB of payloads and headers. It can have fewer deliveries than `limit`, or none, although `next_cursor` is not `null`.
         *
         *     Role: viewer.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/webhooks/{uid}/handshakes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the handshakes of a webhook, newest first
         * @description Requests that a provider sent to verify the URL. A handshake is not a delivery: it has no label and starts nothing.
         *
         *     Role: viewer.
         */
        get: operations["listHandshakes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery
         * @description Role: viewer.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the body of an accepted delivery
         * @description Role: viewer.
         */
        get: operations["getDeliveryPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the common mistake behind a rejected delivery
         * @description Tested on the request if a capture window stored it; otherwise concluded from the reason.
         *
         *     Role: operator.
         */
        get: operations["diagnoseDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate the payload of an accepted delivery again with the live automations
         * @description Creates a new delivery with `replay_of` and starts runs again. Redeliveries from the sender are still duplicates of the original. Returns 409 if no payload is stored, or if the webhook is disabled or deleted.
         *
         *     Role: operator.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why each automation started or did not
         * @description Evaluated with the definitions that were live when the delivery arrived. The first page has every automation that started.
         *
         *     Role: viewer.
         */
        get: operations["explainDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/replays/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a replay would start
         * @description A dry run: evaluates stored deliveries as the replay would, and stores nothing. An answer covers a part of the deliveries, the oldest first. Repeat the request with `next_cursor` until that is `null`, and add the numbers.
         *
         *     Role: operator.
         */
        get: operations["previewReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List replays, newest first
         * @description Role: viewer.
         */
        get: operations["listReplays"];
        put?: never;
        /**
         * Replay stored deliveries
         * @description Replays one delivery, or all accepted deliveries that match, the oldest first: each is stored as a new delivery with `replay_of`, and starts runs again. A replay replays each delivery once, also if the daemon is killed and restarted. Deliveries that arrive after the request, and replays, are not part of it. Returns 409 if the delivery has no payload, or if 10 replays of the factory are not finished.
         *
         *     Role: operator.
         */
        post: operations["createReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a replay and its progress
         * @description Role: viewer.
         */
        get: operations["getReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/replays/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a replay
         * @description No further delivery is replayed. Runs that it has started continue. A replay that has ended returns 409.
         *
         *     Role: operator.
         */
        post: operations["cancelReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a factory, newest first
         * @description A page examines at most 5000 runs. It can have fewer runs than `limit`, or none, although `next_cursor` is not `null`.
         *
         *     Role: viewer.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a run was given
         * @description Role: viewer.
         */
        get: operations["getRunInput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/attachments/event-payload.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the payload of a run
         * @description Role: viewer.
         */
        get: operations["getRunPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/agent-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the agent files of a run
         * @description The files in `agents/`, `runners/` and `skills/` of the commit that was live when the delivery was accepted: at most 1000 files with 4 MiB. Commands and containers find them in the folder `definition` of their working directory.
         *
         *     Role: viewer.
         */
        get: operations["getRunAgentFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the captured output of a run
         * @description Bytes from `offset` on: all, or at most `limit`. The header `X-Next-Offset` contains the offset for the next request. A run without output has an empty log. With `attempt`, only the output of that attempt, and offsets count from its beginning.
         *
         *     Role: viewer.
         */
        get: operations["getRunLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/log/times": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read when the output of a run was written
         * @description The output at and after the offset of an entry was written at its time or later, and before the time of the next entry. There is at most one entry per second, and fewer in very long logs. The first entry is the last one at or before `offset`. The time of a line is that of the last entry at or before the offset of the line. With `attempt`, offsets count from the beginning of its output. Logs that an earlier version wrote have no entries.
         *
         *     Role: viewer.
         */
        get: operations["getRunLogTimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description A queued run, and a run that a worker or a receiver holds, is cancelled immediately (200). A run that the daemon executes is being stopped (202). A run that has ended returns 409.
         *
         *     Role: operator.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run that has ended
         * @description Queues the same run with its next `attempt`, with its original prompt and payload. Its output is appended to its log. A run that has not ended returns 409.
         *
         *     Role: operator.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/runs/retryable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the runs that a retry of all matching runs would retry
         * @description Without `state`, only dead letters match. A request examines at most 5000 runs, newest first. Repeat it with `next_cursor` until that is `null`.
         *
         *     Role: viewer.
         */
        get: operations["countRetryableRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/factories/{factory}/runs/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry all runs that match
         * @description Queues each matching run again as its next attempt, with its original prompt and payload. Without `state`, only dead letters match. A request retries at most `limit` runs. A request examines at most 5000 runs, newest first. Repeat it with `next_cursor` until that is `null`. A retried run is `queued`, so a request that was interrupted can be sent again without the cursor.
         *
         *     Role: operator.
         */
        post: operations["retryRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run
         * @description Role: viewer.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the artifacts of a run
         * @description The files that the last attempt names in `result.json`, or those of `attempt`.
         *
         *     Role: viewer.
         */
        get: operations["listRunArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/artifacts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact of a run
         * @description The bytes of the file, always as an attachment of the type `application/octet-stream`: a run chose them, so a browser must not show them.
         *
         *     Role: viewer.
         */
        get: operations["downloadRunArtifact"];
        put?: never;
        /**
         * Store a part of an artifact
         * @description A worker sends the parts in order, before it completes the run with `artifacts` in `result`. An artifact has at most 50 MiB, all artifacts of an attempt 100 MiB. Each part renews the lease. A worker that got no response repeats the part. 409 means that the run is lost.
         *
         *     Role: worker.
         */
        post: operations["storeRunArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show where the results of a run were posted
         * @description One entry for each attempt and target of `runs.results`, also if nothing is posted. Entries are deleted after 90 days.
         *
         *     Role: viewer.
         */
        get: operations["listRunPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim queued runs
         * @description Gives queued runs to a worker, oldest first, within `runs.concurrency` of the factory. They become `running`, and the worker holds each under a lease that its heartbeats renew. An empty list means that no run is waiting: poll again after a second or more, or let the request wait with `wait_seconds`. Runs that the daemon executes itself are not included. With `secrets`, a run whose secrets cannot be read ends as `failed`, as with an executor of the daemon.
         *
         *     Role: worker.
         */
        post: operations["claimRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record the start of a run
         * @description Optional. Send it before the work starts, and start the work only after the answer. If the worker is lost after it, the attempt is not repeated unless `retry` of the automation or `runs.retry` allows it. 409 means that the run is lost.
         *
         *     Role: worker.
         */
        post: operations["recordRunStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the lease of a run
         * @description Send it well before `lease_seconds` have elapsed, for example after a third of them. 409 means that the run is lost: it was cancelled, has timed out, or was given to another worker. Stop the work then, and do not complete the run.
         *
         *     Role: worker.
         */
        post: operations["renewRunLease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the end of a run
         * @description Ends the run. A worker that got no response repeats the request. 409 means that the run is lost, and the result is ignored.
         *
         *     Role: worker.
         */
        post: operations["completeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/hand-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand a run back
         * @description Queues a run again that the worker has not started, as its next attempt. 409 means that the run is lost, or that its start was recorded.
         *
         *     Role: worker.
         */
        post: operations["handRunBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description The workers that have sent a request since the daemon started, by name, with the runs that they hold. A worker is removed from the list 24 hours after its last request.
         *
         *     Role: viewer.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List secrets, without values
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["listSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a secret
         * @description Creates or replaces the secret, or changes its scope. With `mode=create` an existing secret returns `conflict`; with `mode=update` a missing one returns `not_found`. A scope that excludes a factory that uses the secret returns `secret_in_use`, unless `force=true`.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        put: operations["putSecret"];
        post?: never;
        /**
         * Delete a secret
         * @description Rejected while a webhook, an automation, a target of `notify` or a target of alerts uses it, unless `force=true`. The webhook keeps its pinned value until its next apply, runs of the automation fail, and the target gets no notifications.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/{name}/diagnoses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the common mistake behind a request that does not verify with a secret
         * @description Tests every stored version of the secret. The response contains one sentence, never the secret or a signature. A secret can be tested `limits.failedAuthPerMinute` times per minute (`too_many_requests`).
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["diagnoseRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Newest first. Alerts about the installation, such as disk space, are omitted for tokens that are limited to some factories. Resolved alerts are kept for 90 days.
         *
         *     Role: viewer.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an alert
         * @description Role: viewer.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an alert
         * @description Messages about the alert are not repeated. It is resolved when its cause has ended. Answers 409 if the alert is not open.
         *
         *     Role: operator.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the targets of alerts
         * @description Role: viewer. Not for tokens that are limited to some factories.
         */
        get: operations["listAlertTargets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-targets/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message
         * @description Sends one message to the target immediately, and answers when the target has answered.
         *
         *     Role: operator. Not for tokens that are limited to some factories.
         */
        post: operations["testAlertTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/master-key/rotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the master key
         * @description Encrypts all stored values with the new key and replaces the key file. A daemon that ends meanwhile continues at its next start. If the key comes from the environment, or its file cannot be written, `state` is `waiting`: put the new key in place before the next start. Repeat the request after a lost response.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["rotateMasterKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API tokens
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an API token
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API token
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Add a user with a password
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description A new password and `disabled` end all sessions of the user. A new role and new factories apply from the next request on. Users of the OpenID provider have no password here, and get their role there at each sign-in.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the signed-in user
         * @description Role: viewer.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description Sets the session cookie. Requests with the cookie that change something need the `csrf_token` of the response in `X-CSRF-Token`. Too many failed attempts from one address return `too_many_requests`.
         *
         *     Open: needs no credentials.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description Role: viewer.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that signs in as an owner, once
         * @description Works for 15 minutes. The token is the fragment of the URL, which browsers never send.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["createLoginLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password of the signed-in user
         * @description All sessions of the user end; the response sets the cookie of a new one. Too many failed attempts return `too_many_requests`.
         *
         *     Role: viewer.
         */
        post: operations["changeOwnPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the signed-in user
         * @description Role: viewer.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere else
         * @description Role: viewer.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session of the signed-in user
         * @description Role: viewer.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of a user
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["listUserSessions"];
        put?: never;
        post?: never;
        /**
         * Sign a user out everywhere
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        delete: operations["endUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ways to sign in
         * @description Open: needs no credentials.
         */
        get: operations["listSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes, sign-ins and reads, newest first
         * @description Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow deliveries, runs, reconciliations and checks as they happen
         * @description Server-sent events, each with an `id` and JSON as `data`: `delivery` (a Delivery was logged), `run` (a Run was created or
         *     changed its state), `reconciliation` (a reconciliation ended: a Reconciliation without `plan` and `diagnostics`), `pull_requests`
         *     (the list of pull requests of `factory` or a check changed: read the list again). `ready` is sent when nothing is missing. A client that was disconnected sends the last `id` as `Last-Event-ID` and gets the events it missed. If
         *     they are no longer stored, it gets `reset` and has to reload what it shows. A comment is sent every 15 s.
         *
         *     Role: viewer.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether runs start
         * @description Each replica answers about its own runs.
         *
         *     Role: viewer. Not for tokens that are limited to some factories.
         */
        get: operations["getDrain"];
        put?: never;
        /**
         * Start no further run
         * @description Runs that were started continue, and workers claim nothing. Deliveries are accepted, and their runs wait. The state ends with `DELETE` or with the process. Of several replicas, only the one that answers drains.
         *
         *     Role: operator. Not for tokens that are limited to some factories.
         */
        post: operations["startDrain"];
        /**
         * Start runs again
         * @description Answers 409 while the daemon is stopping.
         *
         *     Role: operator. Not for tokens that are limited to some factories.
         */
        delete: operations["cancelDrain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply changes of the configuration
         * @description Reads the configuration file again. Factories, most limits, retention and stop times take effect immediately, the rest at the next start. A configuration that is not valid changes nothing and answers 422. Of several replicas, only the one that answers reads its file.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["reloadConfiguration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show scheduled backups, and how far the current backup is
         * @description Role: viewer. Not for tokens that are limited to some factories.
         */
        get: operations["getBackupStatus"];
        put?: never;
        /**
         * Make a backup and download it
         * @description A tar archive: the database as of one moment, managed repositories, and what proves that runs were started. The answer begins when the database is copied and checked; `GET /backup` shows how far that is. The last file, `SHA256SUMS`, lists the digests of the others: an archive without it is not complete. Only one backup can be made at a time.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        post: operations["downloadBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Examine the installation
         * @description Checks files, disks, the clock, git, the repositories of all factories, the listeners and the public URL. The daemon asks each repository for its branch, and sends one request to its public URL, so the answer takes up to 20 seconds.
         *
         *     Role: owner. Not for tokens that are limited to some factories.
         */
        get: operations["examineInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/replicas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the daemons that share the database, the longest-lived first
         * @description With SQLite, this daemon alone.
         *
         *     Role: viewer. Not for tokens that are limited to some factories.
         */
        get: operations["listReplicas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find IDs by their beginning
         * @description IDs of deliveries, runs, reconciliations and webhooks in descending order, at most 10. The prefix is unique if one ID is found.
         *
         *     Role: viewer.
         */
        get: operations["findIds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * JSON Schemas of definition files and of the configuration
         * @description Open: needs no credentials.
         */
        get: operations["listSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schemas/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A JSON Schema for editors
         * @description For example `webhook.json`. The same document as `dockbell schema webhook` prints.
         *
         *     Open: needs no credentials.
         */
        get: operations["getSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/signature-schemes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List signature schemes
         * @description Role: viewer.
         */
        get: operations["listSignatureSchemes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show this document
         * @description Open: needs no credentials.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/why/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why an object is in its state: what happened, in order
         * @description `ref` is an ID or the first characters of one, the name of a webhook or an automation, a commit or the first characters of one, the delivery ID of a sender, or `last` for the most recent delivery. For owners, it is also the name of a secret. `webhook:NAME`, `automation:NAME`, `commit:REVISION` and `secret:NAME` are exact. If nothing matches, the 404 lists similar names and IDs as `candidates`. If several objects match, the 409 lists the exact forms of at most ten.
         *
         *     Role: viewer.
         */
        get: operations["explainObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Something that needs attention: one alert for each rule and object. */
        Alert: {
            id: string;
            /** @enum {string} */
            rule: "applyFailed" | "runFailed" | "failureRate" | "loopGuard" | "deadLetter" | "rejectionBurst" | "rateLimited" | "silent" | "probe" | "queueAge" | "notifyFailing" | "disk" | "backupOverdue" | "tokenExpiring";
            /** @description The rule in words. */
            title: string;
            /** @enum {string} */
            severity: "error" | "warning";
            /**
             * @description `acknowledged`: somebody takes care of it, and messages are not repeated.
             * @enum {string}
             */
            state: "open" | "acknowledged" | "resolved";
            /** @description `null` for an alert about the installation. */
            factory: string | null;
            /** @description `null` for an alert about the factory or the installation. */
            object: {
                /** @enum {string} */
                kind: "webhook" | "automation" | "token" | "factory" | "daemon";
                name: string;
                /** @description The ID, or the name of an automation. */
                id: string;
            } | null;
            /** @description What was found, one sentence. */
            summary: string;
            /** @description What to do. */
            advice: string;
            /** Format: date-time */
            opened_at: string;
            /**
             * Format: date-time
             * @description When its cause was last found, to 5 minutes.
             */
            last_seen_at: string;
            /**
             * Format: date-time
             * @description When its cause ended; `null` while it lasts. The alert is resolved some time later.
             */
            clear_since: string | null;
            /** Format: date-time */
            resolved_at: string | null;
            /** @description How often its cause was found again after it had ended for a short time. */
            count: number;
            /** Format: date-time */
            acknowledged_at: string | null;
            /** @description Who takes care of it. */
            acknowledged_by: {
                /** @enum {string} */
                kind: "token" | "local" | "oidc" | "link";
                id: string;
                name: string;
            } | null;
            note: string | null;
        };
        /** @description Who gets messages about alerts, as the configuration says. */
        AlertTarget: {
            name: string;
            /** @enum {string} */
            type: "webhook" | "slack" | "email";
            /** @description Why the last message could not be sent; `null` if it was sent. */
            problem: string | null;
            /** Format: date-time */
            failing_since: string | null;
        };
        /** @description The result of a test message. */
        AlertTest: {
            target: string;
            /** @description Did the target take the message? */
            sent: boolean;
            /** @description Why not; `null` if it did. */
            problem: string | null;
        };
        /** @description A factory: where its definition comes from, what it serves and what was last tried. */
        Factory: {
            name: string;
            /** @description `null` for a factory that is no longer in the configuration. */
            source: {
                /** @enum {string} */
                type: "repository" | "managed" | "live";
                url: string | null;
                branch: string | null;
                path: string | null;
                /** @description Whether the daemon checks the pull requests of the repository. */
                pull_requests: boolean;
            } | null;
            /** @description Does the configuration name the factory? If not, its webhooks answer 404 until it is configured again, renamed or forgotten. */
            configured: boolean;
            applied_revision: string | null;
            /** @description The commit that is live; `null` if it is not known. */
            applied_commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            /** Format: date-time */
            applied_at: string | null;
            attempted_revision: string | null;
            /** Format: date-time */
            attempted_at: string | null;
            conditions: {
                type: string;
                /** @enum {string} */
                status: "True" | "False" | "Unknown";
                /**
                 * @description What the condition means. `NoExecutor` with status `True`, for example, is a warning: do not show it as success.
                 * @enum {string}
                 */
                severity: "ok" | "warning" | "error";
                reason: string;
                /** @description The reason as a sentence. `message` has the details. */
                reason_text: string;
                message: string;
                /** Format: date-time */
                since: string;
            }[];
            counts: {
                webhooks: number;
                automations: number;
                queued_runs: number;
                running_runs: number;
            };
            /** @description What happened to the requests and runs of the factory. */
            health: {
                webhooks: {
                    uid: string;
                    name: string;
                    enabled: boolean;
                    /** @description The outcome of the requests to the webhook. Older than the log, if retention has removed its rows. */
                    traffic: {
                        /**
                         * Format: date-time
                         * @description The last delivery with the label `Accepted`, without replays.
                         */
                        last_accepted_at: string | null;
                        /** @description Number of requests in the current hour and the 23 before it. */
                        last_24_hours: {
                            accepted: number;
                            duplicate: number;
                            rejected: number;
                        };
                        /** @description The share of these requests that were accepted, from 0 to 1; `null` without requests. Requests without an entry in the log, such as those that got 429, count as rejected. */
                        acceptance_rate: number | null;
                        /** @description Requests with a wrong credential since the last one with an accepted credential; `null` for none. */
                        credential_failing: {
                            /**
                             * Format: date-time
                             * @description The first of these requests.
                             */
                            since: string;
                            /**
                             * Format: date-time
                             * @description The last of these requests.
                             */
                            last_at: string;
                            count: number;
                            /** @description Why the last of these requests was rejected, as a code. */
                            reason: string | null;
                            /** @description The reason as a sentence. */
                            reason_text: string | null;
                        } | null;
                        /** @description The requests of these hours that were rejected and are in the log, also if other senders got through since; `null` for none. */
                        rejections: {
                            /**
                             * Format: date-time
                             * @description The first of these requests.
                             */
                            since: string;
                            /**
                             * Format: date-time
                             * @description The last of these requests.
                             */
                            last_at: string;
                            count: number;
                            /** @description Why the last of these requests was rejected, as a code. */
                            reason: string | null;
                            /** @description The reason as a sentence. */
                            reason_text: string | null;
                            /** @description Number of the most recent of these requests that `since` and the addresses are about. Smaller than `count` if there are many. */
                            examined: number;
                            /** @description The client addresses with the most of these requests. */
                            addresses: string[];
                            /** @description Number of other client addresses. */
                            other_addresses: number;
                        } | null;
                    };
                }[];
                /** @description At most 20 automations with failed runs among their last ones, those with most failures first. */
                failed_automations: {
                    name: string;
                    /** @description How the last runs of the automation ended, also after retention has removed them. */
                    results: {
                        /** @description The run that ended last; `null` if none has. */
                        last_run: {
                            id: string;
                            /** @enum {string} */
                            state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
                            /** Format: date-time */
                            finished_at: string;
                        } | null;
                        /** @description Number of the last runs that the counts cover, at most 20. Cancelled runs are excluded, and a retried run counts each time it ended. */
                        recent_runs: number;
                        /** @description Number of these runs that failed. */
                        recent_failed: number;
                        /** @description Number of the last runs that all failed. */
                        failed_in_a_row: number;
                        /**
                         * Format: date-time
                         * @description When the first of these ended; `null` if the last run did not fail.
                         */
                        failing_since: string | null;
                    };
                }[];
                /** @description At most 20 automations with queued runs, the longest wait first. */
                queue: {
                    automation: string;
                    /** Format: date-time */
                    oldest_queued_at: string;
                }[];
                /** @description Number of replicas that do not yet serve what was applied last. */
                replicas_behind: number;
            };
            /** @description Who paused the factory, and why; `null` if it is not paused. */
            pause: {
                factory: string;
                /** @description `null` if the whole factory is paused. */
                automation: string | null;
                /** Format: date-time */
                paused_at: string;
                paused_by: {
                    /** @enum {string} */
                    kind: "token" | "local" | "oidc" | "link";
                    id: string;
                    name: string;
                };
                reason: string | null;
            } | null;
        };
        /** @description A webhook as the last apply left it. */
        Webhook: {
            uid: string;
            factory: string;
            /** @description Unique in the factory, and part of the file name. Only live factories can change it; UID and URL stay. */
            name: string;
            description: string | null;
            /**
             * @description How senders authenticate. The default is `token`.
             * @enum {string}
             */
            auth_mode: "token" | "url_token" | "signature";
            /** @description Signature scheme of the provider, or `custom`; `null` unless `auth_mode` is `signature`. */
            signature_scheme: string | null;
            /** @description The `signature` block of the definition as written; `null` if it has none. */
            signature: JsonObject | null;
            /** @description Name of the secret that holds the credential. */
            secret_name: string;
            /**
             * Format: date-time
             * @description When an apply made the webhook check its version of the secret; `null` if it is not known.
             */
            secret_pinned_at: string | null;
            /** @description How long the previous version of the secret is accepted after an apply, such as `1h`. The default is `0s`. */
            rotation_overlap: string;
            /** @description Name of the secret that a GET handshake must present; `null` if the webhook answers none. */
            verify_token_secret_name: string | null;
            /**
             * @description What senders post. With `form`, the payload is the JSON of the form. The default is `json`.
             * @enum {string}
             */
            body_format: "json" | "form";
            /** @description Field of the form whose JSON is the payload; `null` for `payload`, if it is the only field, or all fields. */
            form_field: string | null;
            /** @description Header in which the sender puts its own event ID; `null` if none is named. */
            delivery_id_header: string | null;
            /** @description Path of the payload at which the sender writes its own event ID; `null` if none is named. */
            delivery_id_path: string | null;
            /** @description Whether a delivery with the identity of an earlier one is a duplicate. The default is `true`. */
            deduplicate: boolean;
            /** @description Where the sender writes the name of the event; `null` for the places of the scheme. */
            event: {
                header?: string;
                path?: string;
            } | null;
            /** @description Further request headers that are stored with each delivery. */
            record_headers: string[];
            /**
             * @description Provider whose triggers the webhook serves, or `none`; `null` for the provider of the signature scheme.
             * @enum {string|null}
             */
            serves: "github" | "gitlab" | "linear" | "jira" | "slack" | "teams" | "azure_devops" | "none" | null;
            /** @description Names that filters of provider triggers use, and the IDs in payloads; `null` if there are none. */
            names: {
                channels?: {
                    [key: string]: string;
                };
                users?: {
                    [key: string]: string;
                };
                teams?: {
                    [key: string]: string;
                };
            } | null;
            /** @description GitLab: username whose mention starts `bot_mentioned`; `null` if none is set. */
            bot_username: string | null;
            /** @description Accounts at the provider whose events start nothing. */
            ignore_actors: string[];
            /** @description An alert opens if no delivery was accepted for this time, such as `24h`; `null` if none is expected. */
            expect_every: string | null;
            enabled: boolean;
            /** @description Commit of the last apply that changed or deleted this webhook. */
            revision: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: date-time
             * @description `null` while the webhook exists.
             */
            deleted_at: string | null;
            /** @description `null` for a live factory, which has no files. */
            file: string | null;
            /** @description For `url_token` with the literal `{token}` in place of the credential. */
            ingress_url: string;
            /** @description Whether it receives deliveries: enabled, not deleted, and its factory is in the configuration. */
            served: boolean;
            /**
             * @description Source of the delivery ID. With `service header or body`, identical bodies count as duplicates unless the sender sets `X-Service-Delivery-Id`. With `body`, they always do.
             * @enum {string}
             */
            identified_by: "header" | "payload" | "provider" | "service header or body" | "body";
            /**
             * @description The worse of `credential_state` and `verify_token_state`. `outdated`: the next apply uses a newer value. `missing`: it fails.
             * @enum {string}
             */
            secret_state: "current" | "outdated" | "missing";
            /**
             * @description State of the secret `secret_name`.
             * @enum {string}
             */
            credential_state: "current" | "outdated" | "missing";
            /**
             * Format: date-time
             * @description Time until which the previous version of the secret is accepted, also after that time; `null` if it never is.
             */
            previous_secret_until: string | null;
            /**
             * @description State of the secret `verify_token_secret_name`; `null` if none is set.
             * @enum {string|null}
             */
            verify_token_state: "current" | "outdated" | "missing" | null;
            /** @description The commit of `revision`; `null` if it is not known. */
            commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            /**
             * Format: date-time
             * @description As `traffic.last_accepted_at`.
             */
            last_delivery_at: string | null;
            /** @description The outcome of the requests to the webhook. Older than the log, if retention has removed its rows. */
            traffic: {
                /**
                 * Format: date-time
                 * @description The last delivery with the label `Accepted`, without replays.
                 */
                last_accepted_at: string | null;
                /** @description Number of requests in the current hour and the 23 before it. */
                last_24_hours: {
                    accepted: number;
                    duplicate: number;
                    rejected: number;
                };
                /** @description The share of these requests that were accepted, from 0 to 1; `null` without requests. Requests without an entry in the log, such as those that got 429, count as rejected. */
                acceptance_rate: number | null;
                /** @description Requests with a wrong credential since the last one with an accepted credential; `null` for none. */
                credential_failing: {
                    /**
                     * Format: date-time
                     * @description The first of these requests.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The last of these requests.
                     */
                    last_at: string;
                    count: number;
                    /** @description Why the last of these requests was rejected, as a code. */
                    reason: string | null;
                    /** @description The reason as a sentence. */
                    reason_text: string | null;
                } | null;
                /** @description The requests of these hours that were rejected and are in the log, also if other senders got through since; `null` for none. */
                rejections: {
                    /**
                     * Format: date-time
                     * @description The first of these requests.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The last of these requests.
                     */
                    last_at: string;
                    count: number;
                    /** @description Why the last of these requests was rejected, as a code. */
                    reason: string | null;
                    /** @description The reason as a sentence. */
                    reason_text: string | null;
                    /** @description Number of the most recent of these requests that `since` and the addresses are about. Smaller than `count` if there are many. */
                    examined: number;
                    /** @description The client addresses with the most of these requests. */
                    addresses: string[];
                    /** @description Number of other client addresses. */
                    other_addresses: number;
                } | null;
            };
            /** @description The open capture window; `null` for none. */
            capture: {
                /** Format: date-time */
                until: string;
                /** @description Rejected requests that the daemon holds in memory for a diagnosis. */
                kept: number;
            } | null;
            /** @description Requests without an entry in the delivery log, by reason, the most recent first. Only in the answer that shows one webhook. */
            unlogged_requests?: components["schemas"]["UnloggedRequests"][];
        };
        /** @description Requests to a webhook that have no entry in the delivery log for one reason. */
        UnloggedRequests: {
            /** @description Why the requests have no entry in the delivery log, as a code. */
            reason: string;
            /** @description The reason as a sentence. */
            reason_text: string;
            /** @description The status that senders received; `null` for none or several. */
            status: number | null;
            /** @description Number of requests in the last hour, to 10 minutes. */
            last_hour: number;
            /** @description Number of requests in the last 24 hours, to 10 minutes. */
            last_24_hours: number;
            /** @description Number of requests in the last 31 days. Earlier ones are not counted. */
            last_31_days: number;
            /**
             * Format: date-time
             * @description Time of the last request.
             */
            last_at: string;
        };
        /** @description The webhook after its secret was created. `secret` is set only if the daemon generated it. */
        NewWebhook: {
            uid: string;
            factory: string;
            /** @description Unique in the factory, and part of the file name. Only live factories can change it; UID and URL stay. */
            name: string;
            description: string | null;
            /**
             * @description How senders authenticate. The default is `token`.
             * @enum {string}
             */
            auth_mode: "token" | "url_token" | "signature";
            /** @description Signature scheme of the provider, or `custom`; `null` unless `auth_mode` is `signature`. */
            signature_scheme: string | null;
            /** @description The `signature` block of the definition as written; `null` if it has none. */
            signature: JsonObject | null;
            /** @description Name of the secret that holds the credential. */
            secret_name: string;
            /**
             * Format: date-time
             * @description When an apply made the webhook check its version of the secret; `null` if it is not known.
             */
            secret_pinned_at: string | null;
            /** @description How long the previous version of the secret is accepted after an apply, such as `1h`. The default is `0s`. */
            rotation_overlap: string;
            /** @description Name of the secret that a GET handshake must present; `null` if the webhook answers none. */
            verify_token_secret_name: string | null;
            /**
             * @description What senders post. With `form`, the payload is the JSON of the form. The default is `json`.
             * @enum {string}
             */
            body_format: "json" | "form";
            /** @description Field of the form whose JSON is the payload; `null` for `payload`, if it is the only field, or all fields. */
            form_field: string | null;
            /** @description Header in which the sender puts its own event ID; `null` if none is named. */
            delivery_id_header: string | null;
            /** @description Path of the payload at which the sender writes its own event ID; `null` if none is named. */
            delivery_id_path: string | null;
            /** @description Whether a delivery with the identity of an earlier one is a duplicate. The default is `true`. */
            deduplicate: boolean;
            /** @description Where the sender writes the name of the event; `null` for the places of the scheme. */
            event: {
                header?: string;
                path?: string;
            } | null;
            /** @description Further request headers that are stored with each delivery. */
            record_headers: string[];
            /**
             * @description Provider whose triggers the webhook serves, or `none`; `null` for the provider of the signature scheme.
             * @enum {string|null}
             */
            serves: "github" | "gitlab" | "linear" | "jira" | "slack" | "teams" | "azure_devops" | "none" | null;
            /** @description Names that filters of provider triggers use, and the IDs in payloads; `null` if there are none. */
            names: {
                channels?: {
                    [key: string]: string;
                };
                users?: {
                    [key: string]: string;
                };
                teams?: {
                    [key: string]: string;
                };
            } | null;
            /** @description GitLab: username whose mention starts `bot_mentioned`; `null` if none is set. */
            bot_username: string | null;
            /** @description Accounts at the provider whose events start nothing. */
            ignore_actors: string[];
            /** @description An alert opens if no delivery was accepted for this time, such as `24h`; `null` if none is expected. */
            expect_every: string | null;
            enabled: boolean;
            /** @description Commit of the last apply that changed or deleted this webhook. */
            revision: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: date-time
             * @description `null` while the webhook exists.
             */
            deleted_at: string | null;
            /** @description `null` for a live factory, which has no files. */
            file: string | null;
            /** @description For `url_token` with the literal `{token}` in place of the credential. */
            ingress_url: string;
            /** @description Whether it receives deliveries: enabled, not deleted, and its factory is in the configuration. */
            served: boolean;
            /**
             * @description Source of the delivery ID. With `service header or body`, identical bodies count as duplicates unless the sender sets `X-Service-Delivery-Id`. With `body`, they always do.
             * @enum {string}
             */
            identified_by: "header" | "payload" | "provider" | "service header or body" | "body";
            /**
             * @description The worse of `credential_state` and `verify_token_state`. `outdated`: the next apply uses a newer value. `missing`: it fails.
             * @enum {string}
             */
            secret_state: "current" | "outdated" | "missing";
            /**
             * @description State of the secret `secret_name`.
             * @enum {string}
             */
            credential_state: "current" | "outdated" | "missing";
            /**
             * Format: date-time
             * @description Time until which the previous version of the secret is accepted, also after that time; `null` if it never is.
             */
            previous_secret_until: string | null;
            /**
             * @description State of the secret `verify_token_secret_name`; `null` if none is set.
             * @enum {string|null}
             */
            verify_token_state: "current" | "outdated" | "missing" | null;
            /** @description The commit of `revision`; `null` if it is not known. */
            commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            /**
             * Format: date-time
             * @description As `traffic.last_accepted_at`.
             */
            last_delivery_at: string | null;
            /** @description The outcome of the requests to the webhook. Older than the log, if retention has removed its rows. */
            traffic: {
                /**
                 * Format: date-time
                 * @description The last delivery with the label `Accepted`, without replays.
                 */
                last_accepted_at: string | null;
                /** @description Number of requests in the current hour and the 23 before it. */
                last_24_hours: {
                    accepted: number;
                    duplicate: number;
                    rejected: number;
                };
                /** @description The share of these requests that were accepted, from 0 to 1; `null` without requests. Requests without an entry in the log, such as those that got 429, count as rejected. */
                acceptance_rate: number | null;
                /** @description Requests with a wrong credential since the last one with an accepted credential; `null` for none. */
                credential_failing: {
                    /**
                     * Format: date-time
                     * @description The first of these requests.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The last of these requests.
                     */
                    last_at: string;
                    count: number;
                    /** @description Why the last of these requests was rejected, as a code. */
                    reason: string | null;
                    /** @description The reason as a sentence. */
                    reason_text: string | null;
                } | null;
                /** @description The requests of these hours that were rejected and are in the log, also if other senders got through since; `null` for none. */
                rejections: {
                    /**
                     * Format: date-time
                     * @description The first of these requests.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The last of these requests.
                     */
                    last_at: string;
                    count: number;
                    /** @description Why the last of these requests was rejected, as a code. */
                    reason: string | null;
                    /** @description The reason as a sentence. */
                    reason_text: string | null;
                    /** @description Number of the most recent of these requests that `since` and the addresses are about. Smaller than `count` if there are many. */
                    examined: number;
                    /** @description The client addresses with the most of these requests. */
                    addresses: string[];
                    /** @description Number of other client addresses. */
                    other_addresses: number;
                } | null;
            };
            /** @description The open capture window; `null` for none. */
            capture: {
                /** Format: date-time */
                until: string;
                /** @description Rejected requests that the daemon holds in memory for a diagnosis. */
                kept: number;
            } | null;
            /** @description The generated secret, only in this response. */
            secret?: string;
        };
        /** @description How a provider signs its deliveries. */
        SignatureScheme: {
            /** @description Value for `signature_scheme` of a webhook. */
            name: string;
            /** @description The provider, for people. */
            title: string;
            /**
             * @description `user`: the team chooses the secret; `app`: it exists before any URL; `after`: the provider issues it once it knows the URL; `handshake`: it arrives at the URL.
             * @enum {string}
             */
            secret_issued: "user" | "app" | "after" | "handshake";
            /** @description Is a secret generated if none is given? */
            generates_secret: boolean;
            /** @description What names a delivery: headers, or values of the body as `body a.b`. */
            identities: string[];
            /** @description Where the request contains the signature. */
            credential_places: string[];
            /** @description The provider’s own page. */
            documentation: string | null;
        };
        /** @description One row of the delivery log. */
        Delivery: {
            id: string;
            factory: string;
            webhook_uid: string;
            webhook_name: string;
            /** @description The sender’s ID of the delivery; `null` if it is not known. */
            delivery_id: string | null;
            /**
             * @description Where `delivery_id` was read; `null` without one.
             * @enum {string|null}
             */
            delivery_id_source: "header" | "provider" | "service_header" | "body_hash" | "payload" | null;
            /** @description Whether `delivery_id` decided that it is new or a duplicate; `false` for a delivery that was accepted with `deduplicate: false`. */
            deduplicated: boolean;
            /** @description The name of the event, such as `pull_request.opened`; `null` if it is not known or not authenticated. */
            event: string | null;
            /** @description One line about the event, for the well-known schemes: the repository, the title and the person, for example. Text of the sender. `null` if it is not known. */
            summary: string | null;
            /** @description Request headers that were recorded, names in lowercase: `user-agent`, `content-type`, those of the scheme, those that filters test, and those in `record_headers`. Never a credential. `null` for deliveries to earlier versions. */
            headers: {
                [key: string]: string;
            } | null;
            /**
             * @description `null` for an entry that stands for the requests of one minute over the delivery rate. They got 429 and have no label.
             * @enum {string|null}
             */
            label: "Accepted" | "Duplicate" | "Rejected (auth)" | "Rejected (invalid JSON)" | "Rejected (too large)" | null;
            /** @description Why the delivery was rejected, is a duplicate or was backfilled, as a code. */
            reason: string | null;
            /** @description Details of the reason; `null` if it has none. */
            detail: string | null;
            /** @description Size of the body in bytes. */
            size: number;
            /** @description Number of requests that this row stands for. */
            count: number;
            /** Format: date-time */
            received_at: string;
            client_address: string;
            /** @description The commit that was live. */
            revision: string | null;
            /** @description For a duplicate: the accepted delivery; `null` after retention has removed it. */
            duplicate_of: string | null;
            /** @description For a replay: the delivery that the sender posted, also after retention has removed it. */
            replay_of: string | null;
            /** @description For a part of a replay of stored deliveries: the ID of that replay. */
            replay: string | null;
            /** @description IDs of the runs that it started. */
            runs: string[];
            /** @description The reason as a sentence. */
            reason_text: string | null;
        };
        /** @description An open capture window. */
        Capture: {
            /** Format: date-time */
            until: string;
            /** @description Rejected requests that the daemon holds in memory for a diagnosis. */
            kept: number;
        };
        /** @description Why a delivery was rejected. */
        Diagnosis: {
            /** @description `none` if the request is valid now; `null` if no mistake explains it. */
            mistake: string | null;
            /** @description Which mistake it was and what to do, for people. */
            sentence: string;
            /** @description If nothing explains it: the mistakes that were tested. */
            tried: string[];
        };
        /** @description One row of the log of handshakes. */
        Handshake: {
            /**
             * @description Instead of a label: a handshake is not a delivery.
             * @enum {string}
             */
            kind: "Handshake";
            webhook_uid: string;
            /** @description Name of the handshake in the table of handshakes. */
            handshake: string;
            /** @enum {string} */
            outcome: "answered" | "adopted" | "confirmed" | "failed" | "refused";
            /** @description For people. */
            detail: string | null;
            /** @description Number of requests that this row represents. */
            count: number;
            /** Format: date-time */
            received_at: string;
            client_address: string;
        };
        /** @description A JSON Schema of files that people write. */
        EditorSchema: {
            name: string;
            title: string;
            path: string;
        };
        /** @description A whole ID and the factory of its object. */
        FoundId: {
            id: string;
            factory: string;
        };
        /** @description Why an object is in its state: what happened, in order. */
        Story: {
            subject: {
                /** @enum {string} */
                kind: "delivery" | "run" | "webhook" | "automation" | "commit" | "reconciliation" | "secret";
                /** @description `null` for a secret, which belongs to the team. */
                factory: string | null;
                /** @description The ID; the name of an automation or a secret; the revision of a commit. */
                id: string;
                /** @description Display name. */
                name: string;
            };
            /** @description The deciding fact, in one or two sentences. */
            answer: string;
            steps: {
                /**
                 * Format: date-time
                 * @description `null` for a state that has no time.
                 */
                at: string | null;
                /**
                 * @description `now` is the current state, which can change.
                 * @enum {string}
                 */
                outcome: "ok" | "failed" | "warning" | "now" | "note";
                /** @description One or two sentences. */
                text: string;
                facts: {
                    name: string;
                    value: string;
                }[];
                /** @description Who did it; `null` if no person did, or if it is not known. */
                by: string | null;
                /** @description The revision that was live, or that caused the step. */
                commit: {
                    revision: string;
                    commit: {
                        /** @description The first paragraph of its message, on one line. */
                        subject: string;
                        author: string;
                        /** Format: date-time */
                        committed_at: string;
                        /** @description Its page at the git host; `null` if the host is not known. */
                        url: string | null;
                    } | null;
                } | null;
                /** @description What the step changed in the definition. */
                changes: {
                    key: string;
                    /** @description Any JSON value. */
                    from: Json;
                    /** @description Any JSON value. */
                    to: Json;
                }[];
                /** @description The objects of the step. */
                links: {
                    /** @enum {string} */
                    kind: "delivery" | "run" | "webhook" | "automation" | "commit" | "reconciliation" | "secret";
                    /** @description `null` for a secret, which belongs to the team. */
                    factory: string | null;
                    /** @description The ID; the name of an automation or a secret; the revision of a commit. */
                    id: string;
                    /** @description Display name. */
                    name: string;
                }[];
                /** @description The command that shows more of the step. */
                command: string | null;
                /** @description Whether `all=true` lists one by one what the step sums up. */
                expandable: boolean;
            }[];
            /** @description Commands to run next, the most useful one first. */
            next: {
                purpose: string;
                command: string;
            }[];
        };
        /** @description Why each automation that listened started or did not, ordered by automation. */
        Explanation: {
            delivery: string;
            decisions: {
                automation: string;
                /** @enum {string} */
                outcome: "started" | "filtered" | "disabled" | "filter_error" | "ignored_actor" | "loop_guard" | "paused";
                run: string | null;
                path: string | null;
                /** @description Any JSON value. */
                expected: Json;
                /** @description Any JSON value. */
                actual: Json;
                message: string;
            }[];
            /** @description Decisions that an earlier version of Dockbell counted only, by outcome. Every automation that started is in `decisions`. */
            not_stored: {
                filtered: number;
                disabled: number;
                filter_error: number;
            };
            /** @description Cursor of the next page; `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description The factory that was removed. */
        ForgottenFactory: {
            name: string;
            /** @description Number of runs that were queued. */
            cancelled_runs: number;
        };
        /** @description An automation as the last apply left it. */
        Automation: {
            name: string;
            factory: string;
            description: string | null;
            enabled: boolean;
            triggers: ({
                /** @enum {string} */
                provider: "webhook";
                /** @enum {string} */
                event: "received";
                filter: {
                    webhook_ids: string[];
                    webhooks: string[];
                    headers: JsonObject | null;
                    payload: JsonObject | null;
                };
                /** @description Line of its webhooks in the file; `null` if no file exists. */
                line: number | null;
                /** @description UIDs of the webhooks that the last apply resolved. */
                listens_to: string[];
                /** @enum {unknown} */
                handled_elsewhere: false;
            } | ({
                provider: string;
                /** @description UIDs of the webhooks that the last apply resolved. */
                listens_to: string[];
                /** @description Whether Dockbell serves no events of this provider. */
                handled_elsewhere: boolean;
                service: {
                    /** @description Provider and event, for example `github issue_labeled`. */
                    trigger: string;
                    /** @description What the provider sends: `X-GitHub-Event: issues, action labeled`. */
                    events: string[];
                    starts_here: boolean;
                    /** @description Names of the enabled webhooks from which it starts. */
                    served_by: string[];
                    /** @description Why it starts nothing here; `null` if it can start. */
                    reason: string | null;
                    /** @description What the provider needs so that it sends the event; `null` if any webhook gets it. */
                    note: string | null;
                    /** @description Repositories of `factory.yaml`, which the trigger matches because its filter has no `repos`. `null` if it does not depend on them. */
                    repositories: string[] | null;
                    /** @description The IDs that the webhooks map the names of the filter to. */
                    names: {
                        [key: string]: string[];
                    };
                };
                /** @description Only of a trigger with a schedule: when it fires, and what was missed. */
                ticks?: {
                    /** @description `null` until the daemon has stored the schedule, shortly after the apply. */
                    id: string | null;
                    name: string | null;
                    cron: string;
                    timezone: string;
                    /** @enum {string} */
                    catch_up: "none" | "latest";
                    /** @description The next five times at which it fires. */
                    next_at: string[];
                    /**
                     * Format: date-time
                     * @description Ticks are after this time.
                     */
                    started_at: string | null;
                    /**
                     * Format: date-time
                     * @description Scheduled time of the last tick that was recorded.
                     */
                    last_at: string | null;
                    /** @description ID of the entry in the delivery log for that tick. */
                    last_delivery: string | null;
                    /** @description Number of ticks at which no daemon ran. */
                    missed: number;
                    /** Format: date-time */
                    last_missed_at: string | null;
                };
            } & {
                [key: string]: unknown;
            }))[];
            /** @description Commit of the last apply that changed this automation. */
            revision: string | null;
            /** Format: date-time */
            updated_at: string;
            warnings: {
                /** @enum {string} */
                severity: "error" | "warning";
                rule: string;
                file: string;
                line: number;
                column: number;
                path: string;
                message: string;
                hint: string;
            }[];
            /** @description `null` is the foreman. */
            agent: string | null;
            prompt: string;
            overrides: JsonObject;
            /** @description The number of runs with the same key that run at the same time; `null` for as many as the factory allows. */
            concurrency: JsonObject | null;
            /** @description How long no delivery with the same key of `concurrency` may arrive before a run starts, with the latest payload; `null` to start without waiting. */
            debounce: string | null;
            /** @description When a run that failed is started again; `null` for never. */
            retry: JsonObject | null;
            /** @description The number of attempts that may start in a period; `null` for no limit. */
            budget: JsonObject | null;
            /** @description The labels that a worker needs to get its runs; `null` if it needs none. */
            runs_on: string[] | null;
            /** @description The repository that each run gets a checkout of; `null` for none. */
            workspace: JsonObject | null;
            /** @description `null` for a live factory, which has no files. */
            file: string | null;
            /** @description The commit of `revision`; `null` if it is not known. */
            commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            /** @description How the last runs of the automation ended, also after retention has removed them. */
            results: {
                /** @description The run that ended last; `null` if none has. */
                last_run: {
                    id: string;
                    /** @enum {string} */
                    state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
                    /** Format: date-time */
                    finished_at: string;
                } | null;
                /** @description Number of the last runs that the counts cover, at most 20. Cancelled runs are excluded, and a retried run counts each time it ended. */
                recent_runs: number;
                /** @description Number of these runs that failed. */
                recent_failed: number;
                /** @description Number of the last runs that all failed. */
                failed_in_a_row: number;
                /**
                 * Format: date-time
                 * @description When the first of these ended; `null` if the last run did not fail.
                 */
                failing_since: string | null;
            };
            /** @description Who paused the automation, and why; `null` unless this automation is paused. */
            pause: {
                factory: string;
                /** @description `null` if the whole factory is paused. */
                automation: string | null;
                /** Format: date-time */
                paused_at: string;
                paused_by: {
                    /** @enum {string} */
                    kind: "token" | "local" | "oidc" | "link";
                    id: string;
                    name: string;
                };
                reason: string | null;
            } | null;
            /**
             * Format: date-time
             * @description When its oldest queued run was created; `null` if none of the 1000 oldest queued runs of the factory is one.
             */
            oldest_queued_at: string | null;
        };
        /** @description What a filter or an automation would do, and which key decided. */
        FilterResult: {
            /** @enum {string} */
            verdict: "Would trigger" | "Would not trigger";
            trace: {
                path: string;
                operator: string;
                /** @description Any JSON value. */
                expected: Json;
                /** @description Any JSON value. */
                actual: Json;
                /** @description Does the key exist? Distinguishes `null` from a missing key. */
                present: boolean;
                matched: boolean;
                message: string;
            }[];
            /** @description The key that decided, for example `data.issue.level`. */
            decided_by: string | null;
            /** @description The result in one sentence. */
            message: string;
        };
        /** @description One execution of an automation for one delivery. */
        Run: {
            id: string;
            factory: string;
            automation: string;
            /** @description ID of the delivery that started it. */
            delivery: string;
            webhook_uid: string;
            /** @description The sender’s ID of the delivery. */
            delivery_id: string;
            /** @enum {string} */
            state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            /** @description 1 for the first attempt. */
            attempt: number;
            /** @description `null` until an executor starts it. */
            executor: string | null;
            /** @description The commit that was live. */
            revision: string | null;
            /** @description Why the attempt failed, as a code or one sentence. */
            error: string | null;
            exit_code: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description What the last attempt wrote to `result.json`; `null` if it wrote none. */
            result: {
                summary: string | null;
                links: {
                    title: string;
                    url: string;
                }[];
                artifacts: {
                    name: string;
                    path: string;
                }[];
                /** @description Why `result.json` of the run is not used; `null` if it is. */
                problem: string | null;
            } | null;
            /** @description The values of the key that its automation declares in `concurrency`, as a JSON list; `null` without one. */
            concurrency_key: string | null;
            /** @description The labels that a worker needs to get the run; `null` if it needs none. */
            runs_on: string[] | null;
            /** @description The newer run that replaced it; `null` if none did. */
            superseded_by: string | null;
            /** @description The attempts that started or were requested, oldest first. Attempts before an upgrade to version 0.2 are missing, except the last one. */
            attempts: components["schemas"]["RunAttempt"][];
            /** @description Why the run has not started, while it is `queued`; otherwise `null`. */
            waiting: {
                /** @enum {string} */
                reason: "starting" | "recovering" | "stopping" | "draining" | "start_failed" | "paused" | "backoff" | "debounce" | "budget" | "concurrency_key" | "concurrency_limit" | "no_worker" | "no_matching_worker" | "no_executor" | "factory_not_configured";
                /** @description The reason as a sentence, with what to do. */
                reason_text: string;
                /** @description Position in the queue of the factory, or among the runs with the same concurrency key, budget or pause; 1 for the next run. `null` in events, while the run waits for a time, and beyond 10000. */
                position: number | null;
            } | null;
            context?: components["schemas"]["RunContext"];
        };
        /** @description One attempt to execute a run. */
        RunAttempt: {
            /** @description 1 for the first attempt. */
            number: number;
            /**
             * @description `queued`: the attempt has not started.
             * @enum {string}
             */
            state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            exit_code: number | null;
            /**
             * Format: date-time
             * @description When the attempt was requested; `null` for the first attempt, which the delivery started.
             */
            requested_at: string | null;
            /** @description Who requested the attempt; `null` for the first attempt, and if Dockbell retried the run automatically. */
            requested_by: {
                /** @enum {string} */
                kind: "token" | "local" | "oidc" | "link";
                id: string;
                name: string;
            } | null;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description `null` until an executor starts it. */
            executor: string | null;
            /** @description Name of the token or user of the worker that claimed it; `null` for a command of the daemon. */
            worker: string | null;
            /**
             * Format: date-time
             * @description When the attempt ends as `timeout`, if a receiver accepted it and reports its end (`mode: async`); otherwise `null`.
             */
            held_until: string | null;
            /** @description The progress that the holder of the attempt reported last; `null` without a report. */
            progress: {
                percent: number | null;
                text: string | null;
            } | null;
            /** @description What the attempt wrote to `result.json`; `null` if it wrote none. */
            result: {
                summary: string | null;
                links: {
                    title: string;
                    url: string;
                }[];
                artifacts: {
                    name: string;
                    path: string;
                }[];
                /** @description Why `result.json` of the run is not used; `null` if it is. */
                problem: string | null;
            } | null;
            /** @description Position of its output in the log of the run, in bytes; `null` if it is not known. */
            log_offset: number | null;
            /**
             * @description Why the attempt failed or was cancelled, as a code.
             * @enum {string|null}
             */
            reason: "timeout" | "interrupted" | "cancelled" | "superseded" | "skipped" | "over_budget" | "exit_code" | "signal" | "failed" | null;
            /** @description The reason as a sentence, with what to do. */
            reason_text: string | null;
        };
        /** @description A replay of stored deliveries, and how far it is. */
        Replay: {
            id: string;
            factory: string;
            /**
             * @description `pending` until the first delivery is examined.
             * @enum {string}
             */
            state: "pending" | "running" | "finished" | "cancelled" | "failed";
            /** @description The only delivery that is replayed; `null` if `filter` selects deliveries. */
            delivery: string | null;
            /** @description The filters that select deliveries, as they were requested. */
            filter: JsonObject;
            /** @description The only automation that is evaluated; `null` for all. */
            automation: string | null;
            /**
             * @description `now`: the live definition decides what starts. `then`: the one that was live when the delivery was received.
             * @enum {string}
             */
            as_of: "now" | "then";
            /** @description Maximum number of deliveries that are replayed in a second. */
            rate: number;
            /** @description Who requested the replay. */
            requested_by: {
                /** @enum {string} */
                kind: "token" | "local" | "oidc" | "link";
                id: string;
                name: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description Number of accepted deliveries within webhook and times when the replay was created. All are examined. */
            total: number;
            /** @description Number of deliveries that were examined until now. */
            examined: number;
            /** @description Number of deliveries that were replayed: each is a new delivery. */
            replayed: number;
            /** @description Number of replayed deliveries that started a run. */
            matched: number;
            /** @description Number of runs that started. */
            runs: number;
            /** @description Why the replay failed; `null` if it did not. */
            error: string | null;
            /** @description Deliveries that match, but are not replayed, by reason. */
            skipped: {
                /** @enum {string} */
                reason: "payload_removed" | "webhook_unavailable" | "definition_unknown" | "is_replay" | "unreadable" | "not_stored";
                reason_text: string;
                count: number;
            }[];
        };
        /** @description A part of a dry run of a replay. */
        ReplayPreview: {
            /** @description Number of accepted deliveries within webhook and times. */
            total: number;
            /** @description Number of them that this part of the dry run examined. */
            examined: number;
            /** @description Number of deliveries that would be replayed. */
            replayed: number;
            /** @description Number of them that would start a run. */
            matched: number;
            /** @description Number of runs that would start. */
            runs: number;
            /** @description Deliveries that match, but are not replayed, by reason. */
            skipped: {
                /** @enum {string} */
                reason: "payload_removed" | "webhook_unavailable" | "definition_unknown" | "is_replay" | "unreadable" | "not_stored";
                reason_text: string;
                count: number;
            }[];
            automations: {
                automation: string;
                /** @description Number of runs that the automation would start. */
                runs: number;
                /** @description The first deliveries that would start it. */
                examples: {
                    delivery: string;
                    delivery_id: string;
                    /** Format: date-time */
                    received_at: string;
                }[];
            }[];
            /** @description Pass it back as `cursor`; `null` at the end. */
            next_cursor: string | null;
        };
        /** @description Only in the answer that shows one run, and in its input. What the provider of the delivery says about the event; empty if its webhook serves no provider. All values are texts of the sender, at most 512 characters and on one line. A value that the delivery does not have is omitted. */
        RunContext: {
            /** @description The provider that the webhook serves, such as `github`. */
            provider?: string;
            /** @description The event of the provider trigger that matched; of several, the first one in the automation file. */
            event?: string;
            /** @description The name of the event at the provider, such as `issues.labeled`. */
            provider_event?: string;
            /** @description The repository, as the provider names it. */
            repository?: string;
            /** @description Number or key of the issue or pull request, or channel and thread of a message. */
            number?: string | number;
            /** @description Page of the event at the provider, always https. */
            url?: string;
            /** @description Who caused the event. */
            actor?: string;
            /** @description The full ID of the commit. */
            commit?: string;
            /** @description The events of all provider triggers of the automation that matched. */
            events?: string[];
        };
        /** @description What a run was given. */
        RunInput: {
            prompt: string;
            envelope: string;
            attachments: {
                name: string;
                size: number;
                media_type: string;
            }[];
            overrides: JsonObject;
            /** @description The checkout that its automation declares; `null` for none. */
            workspace: {
                /** @description `null` for the repository of the factory. */
                repository: string | null;
                ref: string;
            } | null;
            /** @description The name of the event of the delivery. */
            event: string | null;
            context: components["schemas"]["RunContext"];
            /** @description The other deliveries that the run stands for, because it replaced their runs: newest first, at most 1,000. */
            stands_for: {
                count: number;
                deliveries: {
                    id: string;
                    delivery_id: string;
                    run: string;
                }[];
            };
        };
        /** @description A file in `agents/`, `runners/` or `skills/`. */
        AgentFile: {
            /** @description Path relative to the folder of the factory. */
            path: string;
            size: number;
            content_base64: string;
        };
        /** @description The result of an attempt for one target of `runs.results`. */
        RunPost: {
            attempt: number;
            /** @description Type of the target, what it gets, and its host. */
            target: string;
            /** @description `null` for a callback, and if the payload does not name it. */
            repository: string | null;
            /** @description The commit that gets the status. */
            commit: string | null;
            /** @description Number of the pull request that gets the comment. */
            number: string | null;
            /**
             * @description `given_up`: the target rejected it, or all attempts of 24 hours failed. `skipped`: nothing is posted to this target.
             * @enum {string}
             */
            state: "waiting" | "posted" | "given_up" | "skipped";
            /** @description Why it is not posted; `null` without a problem. */
            problem: string | null;
            /**
             * Format: date-time
             * @description When it is posted; `null` if it does not wait.
             */
            retry_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** @description A file that an attempt names in `result.json`. */
        RunArtifact: {
            /** @description Position in `result.json`. */
            number: number;
            name: string;
            /** @description Path in the directory of the run. */
            path: string;
            /** @description Size in bytes. `null` if the file is not stored: it exceeds a limit, retention has removed it, or a receiver named it. */
            size: number | null;
        };
        /** @description Number of runs that match. */
        RunCount: {
            /** @description Number of matching runs among those that the request examined. */
            count: number;
            /** @description Pass it back as `cursor`; `null` at the end. */
            next_cursor: string | null;
        };
        /** @description Which runs were retried. */
        RunRetries: {
            /** @description Number of runs that were queued again. */
            retried: number;
            /** @description Matching runs that were not retried. */
            rejected: {
                run: string;
                /** @enum {string} */
                reason: "unfinished" | "payload_gone" | "not_found";
                reason_text: string;
            }[];
            /** @description Pass it back as `cursor`; `null` at the end. */
            next_cursor: string | null;
        };
        /** @description When parts of the log of a run were written, oldest first. */
        RunLogTimes: {
            data: {
                /** @description Position in the log, in bytes. */
                offset: number;
                /** Format: date-time */
                at: string;
            }[];
            /** @description Pass it back as `offset` for the entries that follow; `null` at the end. */
            next_offset: number | null;
        };
        /** @description A run that a worker has claimed. */
        ClaimedRun: {
            run: components["schemas"]["Run"];
            webhook: {
                name: string;
                uid: string;
            };
            /** @description `null` is the foreman. */
            agent: string | null;
            input: components["schemas"]["RunInput"];
            /** @description W3C trace context of this attempt, to continue the trace of the delivery; `null` if it is not traced. */
            trace: {
                traceparent: string;
                tracestate: string | null;
            } | null;
            /** @description Number of this claim. Send it with every later request for the run. */
            fence: number;
            /** @description The values of the secrets that the automation lists, by name. Only this answer contains them. `null` if the claim did not ask for them. */
            secrets: {
                [key: string]: string;
            } | null;
            /** @description The repository that the worker checks out for the run. `null` if the automation declares no `workspace`, or if the claim did not ask for secrets. */
            checkout: {
                /** @description URL of the repository, or its path; without credentials. */
                url: string | null;
                /** @description A branch, a tag, a full ref or a commit ID. */
                ref: string | null;
                username: string | null;
                /** @description From `runs.workspaces` of the factory. Only this answer contains it. */
                password: string | null;
                /** @description Why nothing can be checked out; `null` if it can. */
                problem: string | null;
            } | null;
            /** @description Maximum duration of the attempt. */
            timeout_seconds: number;
            /** @description The run is lost if no heartbeat arrives within this time. */
            lease_seconds: number;
            /**
             * Format: date-time
             * @description The end of the lease by the clock of the daemon.
             */
            lease_expires_at: string;
        };
        /** @description A worker that has sent a request since the daemon started. */
        Worker: {
            /** @description Identifies the worker among those with the same token. */
            id: string | null;
            name: string;
            /** @description Name of its token or user. */
            token: string;
            /**
             * @description `offline`: no request for 90 seconds.
             * @enum {string}
             */
            state: "online" | "offline";
            labels: string[];
            /** @description Number of runs that it executes at the same time. */
            concurrency: number | null;
            version: string | null;
            /** @description Factories whose runs it asks for. */
            factories: string[];
            /** Format: date-time */
            last_seen_at: string;
            /** @description The runs that it holds. */
            runs: {
                id: string;
                factory: string;
                automation: string;
                attempt: number;
                /** Format: date-time */
                started_at: string | null;
            }[];
        };
        /** @description Time within which a worker must send the next heartbeat. */
        Lease: {
            /** @description The run is lost if no heartbeat arrives within this time. */
            lease_seconds: number;
            /**
             * Format: date-time
             * @description The end of the lease by the clock of the daemon.
             */
            lease_expires_at: string;
        };
        /** @description One attempt to apply a commit or an edit. */
        Reconciliation: {
            id: string;
            factory: string;
            revision: string | null;
            /** @description The commit of `revision`; `null` if it is not known. */
            commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            /** @enum {string} */
            result: "applied" | "unchanged" | "invalid" | "failed";
            reason: string;
            /** @description The reason as a sentence. `message` has the details. */
            reason_text: string;
            message: string;
            diagnostics: {
                /** @enum {string} */
                severity: "error" | "warning";
                rule: string;
                file: string;
                line: number;
                column: number;
                path: string;
                message: string;
                hint: string;
            }[];
            plan: {
                webhooks: {
                    create: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                    update: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                    delete: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                };
                automations: {
                    create: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                    update: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                    delete: {
                        name: string;
                        uid: string | null;
                        /** @description A deleted webhook that comes back under its earlier UID. */
                        restored: boolean;
                        changes: {
                            key: string;
                            /** @description Any JSON value. */
                            from: Json;
                            /** @description Any JSON value. */
                            to: Json;
                        }[];
                    }[];
                };
            };
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            finished_at: string;
            /** Format: date-time */
            attempted_at: string;
        };
        /** @description What applying a definition would change. */
        PlanPreview: {
            factory: string;
            /** @description What is live now, which the plan starts from. */
            applied_revision: string | null;
            /** @description The commit that is live; `null` if it is not known. */
            applied_commit: {
                /** @description The first paragraph of its message, on one line. */
                subject: string;
                author: string;
                /** Format: date-time */
                committed_at: string;
                /** @description Its page at the git host; `null` if the host is not known. */
                url: string | null;
            } | null;
            webhooks: {
                create: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                    /** @description URL of the webhook if it has a UID; `{token}` replaces a credential. */
                    ingress_url: string | null;
                }[];
                update: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                    /** @description URL of the webhook if it has a UID; `{token}` replaces a credential. */
                    ingress_url: string | null;
                }[];
                delete: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                    /** @description URL of the webhook if it has a UID; `{token}` replaces a credential. */
                    ingress_url: string | null;
                }[];
            };
            automations: {
                create: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                }[];
                update: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                }[];
                delete: {
                    name: string;
                    uid: string | null;
                    /** @description A deleted webhook that comes back under its earlier UID. */
                    restored: boolean;
                    changes: {
                        key: string;
                        /** @description Any JSON value. */
                        from: Json;
                        /** @description Any JSON value. */
                        to: Json;
                    }[];
                }[];
            };
            /** @description What starts the triggers of automations that are created or changed. Also the schedules of at most 20 others. */
            triggers: {
                automation: string;
                trigger: string;
                /** @description Names of the enabled webhooks from which it starts. */
                served_by: string[];
                /** @description Why it starts nothing here; `null` if it can start. */
                reason: string | null;
                /** @description What the provider needs so that it sends the event; `null` if any webhook gets it. */
                note: string | null;
                /** @description The next five times of a schedule; empty for other triggers. */
                next: string[];
            }[];
            /** @description Paths of the files in `agents/`, `runners/` and `skills/` that change; `null` if the request did not list these files. */
            agent_files: {
                create: string[];
                update: string[];
                delete: string[];
            } | null;
            /** @description Team secrets that do not exist, or whose scope excludes the factory. The apply waits for those that webhooks name. */
            missing_secrets: {
                name: string;
                webhooks: string[];
                automations: string[];
            }[];
            diagnostics: {
                /** @enum {string} */
                severity: "error" | "warning";
                rule: string;
                file: string;
                line: number;
                column: number;
                path: string;
                message: string;
                hint: string;
            }[];
            /** @description Automations whose triggers change, evaluated with stored deliveries. */
            backtest: {
                /** Format: date-time */
                since: string;
                /** Format: date-time */
                until: string;
                /** @description Accepted deliveries of the webhooks concerned in that time. */
                stored: number;
                examined: number;
                /** @description Were fewer examined than stored? Then all counts are those of an even sample. */
                sampled: boolean;
                automations: {
                    automation: string;
                    examined: number;
                    /** @description Number of the examined deliveries that start it as applied. */
                    before: number;
                    /** @description Number of the examined deliveries that would start it as planned. */
                    after: number;
                    gained_count: number;
                    lost_count: number;
                    /** @description Number of the examined deliveries without a record of a header that a filter tests. They count as sent without it. */
                    unrecorded: number;
                    /** @description The most recent deliveries that would start it now, at most five. */
                    gained: {
                        delivery: string;
                        webhook_uid: string;
                        /** Format: date-time */
                        received_at: string;
                        /** @description The key that makes the difference. */
                        path: string | null;
                        message: string;
                    }[];
                    /** @description The most recent deliveries that would no longer start it, at most five. */
                    lost: {
                        delivery: string;
                        webhook_uid: string;
                        /** Format: date-time */
                        received_at: string;
                        /** @description The key that makes the difference. */
                        path: string | null;
                        message: string;
                    }[];
                }[];
            };
        };
        /** @description Automations whose triggers change, evaluated with stored deliveries. */
        Backtest: {
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
            /** @description Accepted deliveries of the webhooks concerned in that time. */
            stored: number;
            examined: number;
            /** @description Were fewer examined than stored? Then all counts are those of an even sample. */
            sampled: boolean;
            automations: {
                automation: string;
                examined: number;
                /** @description Number of the examined deliveries that start it as applied. */
                before: number;
                /** @description Number of the examined deliveries that would start it as planned. */
                after: number;
                gained_count: number;
                lost_count: number;
                /** @description Number of the examined deliveries without a record of a header that a filter tests. They count as sent without it. */
                unrecorded: number;
                /** @description The most recent deliveries that would start it now, at most five. */
                gained: {
                    delivery: string;
                    webhook_uid: string;
                    /** Format: date-time */
                    received_at: string;
                    /** @description The key that makes the difference. */
                    path: string | null;
                    message: string;
                }[];
                /** @description The most recent deliveries that would no longer start it, at most five. */
                lost: {
                    delivery: string;
                    webhook_uid: string;
                    /** Format: date-time */
                    received_at: string;
                    /** @description The key that makes the difference. */
                    path: string | null;
                    message: string;
                }[];
            }[];
        };
        /** @description Counts for charts. */
        Activity: {
            factory: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @enum {string} */
            bucket: "hour";
            buckets: {
                /** Format: date-time */
                start: string;
                deliveries: {
                    Accepted: number;
                    Duplicate: number;
                    "Rejected (auth)": number;
                    "Rejected (invalid JSON)": number;
                    "Rejected (too large)": number;
                };
                runs: {
                    queued: number;
                    running: number;
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                };
            }[];
            /** @description Webhooks that received something in that time. */
            webhooks: {
                webhook_uid: string;
                /** @description For each bucket, with any label. */
                deliveries: number[];
            }[];
        };
        /** @description An open pull or merge request, and its last check. */
        PullRequest: {
            number: number;
            /** @description Written by the author of the pull request, who may be anybody. */
            title: string;
            /** @description Its page at the git host; `null` if the host did not name it. */
            url: string | null;
            /** @description The commit at its head. */
            head: string;
            /** @description Whether the head is in another repository. */
            fork: boolean;
            /**
             * @description `waiting`: not checked yet. `untouched`: it changes nothing that the factory reads. The others are those of the commit status.
             * @enum {string}
             */
            state: "waiting" | "pending" | "success" | "failure" | "error" | "untouched";
            /** @description What the commit status says, or why the commit could not be read. */
            description: string | null;
            /** Format: date-time */
            checked_at: string | null;
            /** @description The outcome of its commit status and its comment at the git host. Empty if neither is due. */
            posts: {
                /** @enum {string} */
                kind: "status" | "comment";
                /**
                 * @description `given_up`: the git host rejected it, or all attempts of 24 hours failed.
                 * @enum {string}
                 */
                state: "waiting" | "posted" | "given_up" | "skipped";
                /** @description Why the last attempt failed. */
                problem: string | null;
            }[];
        };
        /** @description Open pull requests of a factory, and their last checks. */
        PullRequests: {
            factory: string;
            /** @description Type of the git host. */
            host: string;
            /** @description Its repository at the git host. */
            repository: string;
            /** @description Pull requests for other branches are not checked. */
            branch: string;
            /**
             * Format: date-time
             * @description When the git host answered last; `null` if it never did.
             */
            listed_at: string | null;
            /** @description Why the git host could not be asked last, and what to do; `null` if it answered. */
            problem: string | null;
            /** @description Whether the git host has more open requests than are checked. */
            has_more: boolean;
            data: components["schemas"]["PullRequest"][];
            /** @description Always `null`: the list has one page. */
            next_cursor: string | null;
        };
        /** @description Keys of stored payloads. */
        PayloadKeys: {
            webhook_uid: string;
            /** @description Number of payloads that were examined. */
            examined: number;
            keys: {
                /** @description As a filter nests it. */
                path: string[];
                /** @description The path in one line, for example `data.issue.level`. */
                text: string;
                /** @description Number of payloads with this key. */
                payloads: number;
                types: ("string" | "number" | "boolean" | "null" | "object")[];
                examples: (string | number | boolean | null)[];
            }[];
        };
        /** @description A reconciliation was requested. It appears in the list when it has ended. */
        ReconciliationRequested: {
            factory: string;
            /** Format: date-time */
            requested_at: string;
        };
        /** @description One of the daemons that share a database. */
        Replica: {
            /** @description ID of this start of the daemon. */
            id: string;
            name: string;
            version: string;
            /**
             * @description The leader applies definitions and starts runs. All replicas accept deliveries.
             * @enum {string}
             */
            role: "leader" | "follower";
            /** @description Did it give a sign of life in the last 15 seconds? */
            alive: boolean;
            seen_seconds_ago: number;
            /** Format: date-time */
            started_at: string;
            ingress_url: string | null;
            admin_url: string | null;
            /** @description Factories of which it does not yet serve what was applied last. */
            behind: string[];
        };
        /** @description Whether a commit is live, directly or as part of a later commit. */
        Ancestry: {
            revision: string;
            applied_revision: string | null;
            /** @description Is the commit part of the history of what is live? `null` if that cannot be determined. */
            contained: boolean | null;
        };
        /** @description A team secret without its value. */
        Secret: {
            name: string;
            /** @description The newest version. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Factories that may use the secret, for webhooks and for runs. */
            scope: {
                /** @description Factories whose webhooks may use it; `null` for all. */
                webhook: string[] | null;
                /** @description Factories whose runs may receive it; `null` for all. */
                run: string[] | null;
            };
            /** @description Webhooks that name the secret, with the version that their last apply pinned. */
            used_by: {
                factory: string;
                webhook: string;
                version: number;
            }[];
            /** @description Automations that list the secret for their runs, which use the newest version. */
            listed_by: {
                factory: string;
                automation: string;
            }[];
            /** @description Targets of `notify` in `dockbell.yaml` that receive reports with the newest version. */
            notify: {
                factory: string;
                type: string;
            }[];
        };
        /** @description One change of a managed factory. */
        Revision: {
            revision: string;
            author: string;
            message: string;
            /** Format: date-time */
            created_at: string;
        };
        /** @description The newest version of the secret, and its scope. */
        SecretStored: {
            name: string;
            version: number;
            created: boolean;
            scope: {
                /** @description Factories whose webhooks may use it; `null` for all. */
                webhook: string[] | null;
                /** @description Factories whose runs may receive it; `null` for all. */
                run: string[] | null;
            };
            /** @description What to do if no factory may use the secret, or if the next apply of a webhook rejects the value; `null` otherwise. */
            warning: string | null;
        };
        /** @description A change of the master key. `waiting`: install the new key before the next start. */
        MasterKeyRotation: {
            /** @enum {string} */
            state: "done" | "waiting";
            /** @description Number of values that were encrypted again. */
            resealed: number;
            /** @description The key file of the daemon; `null` if the key comes from the environment. */
            key_file: string | null;
            /** @description The file with the earlier key, for earlier backups. */
            earlier_key_file: string | null;
        };
        /** @description An API token without its text. */
        Token: {
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "operator" | "manager" | "owner" | "worker";
            /** @description `null` for all factories. */
            factories: string[] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Expiration time; `null` if the token never expires.
             */
            expires_at: string | null;
        };
        /** @description An API token with its text, which cannot be read again. */
        NewToken: {
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "operator" | "manager" | "owner" | "worker";
            /** @description `null` for all factories. */
            factories: string[] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Expiration time; `null` if the token never expires.
             */
            expires_at: string | null;
            /** @description The token, only in this response. */
            token: string;
        };
        /** @description Somebody who may sign in. */
        User: {
            id: string;
            name: string;
            /** @enum {string} */
            kind: "local" | "oidc";
            /** @enum {string} */
            role: "viewer" | "operator" | "manager" | "owner";
            /** @description Factories that the user is limited to; `null` for all. */
            factories: string[] | null;
            disabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_sign_in_at: string | null;
            /** Format: date-time */
            password_changed_at: string | null;
        };
        /** @description One change, one attempt to sign in, or the first read of an object by a reader on a day (UTC). */
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            /** @description Who did it, under their name at that time. `daemon`: a commit of a repository was applied; `changes` names its author. `null` if nobody was authenticated. */
            actor: {
                /** @enum {string} */
                kind: "token" | "local" | "oidc" | "link" | "run" | "daemon";
                id: string;
                name: string;
            } | null;
            /** @description The requested action in words, such as `Rotate secret of webhook`. */
            action: string;
            /** @description That of the request. `READ` for a read. */
            method: string;
            route: string;
            /** @description The changed or read object, as a path below the API. */
            object: string;
            /** @description What was asked for; values that could be secret are `[not shown]`. Of an apply: the commit, the changed definitions and the versions of secrets in use since. */
            changes: JsonObject | null;
            /** @enum {string} */
            outcome: "done" | "refused" | "failed" | "unanswered";
            status: number;
            client_address: string;
        };
        /** @description Further ways to sign in, in addition to passwords, tokens and login links. */
        SignInWays: {
            /** @description Where a browser signs in at the OpenID provider; `null` if none is configured. */
            oidc: {
                label: string;
                url: string;
            } | null;
        };
        /** @description The signed-in user. */
        SignedIn: {
            user: {
                /** @description Name as in the audit log. */
                id: string;
                name: string;
                /** @enum {string} */
                role: "viewer" | "operator" | "manager" | "owner";
                /** @description Factories that the token can access; `null` for all. */
                factories: string[] | null;
                /**
                 * @description How the user authenticated: by an API token, a password, the OpenID provider or a login link.
                 * @enum {string}
                 */
                kind: "token" | "local" | "oidc" | "link";
            };
            /** @description Value for `X-CSRF-Token`; `null` if the request has no session. */
            csrf_token: string | null;
            /** @description ID of the most recent event. Pass it as `after` to `GET /events` to miss no event. */
            last_event_id: string;
        };
        /** @description A browser that is signed in. */
        Session: {
            id: string;
            /** @description Whether it is the session of this request. */
            current: boolean;
            client_address: string;
            /** @description The `User-Agent` of the browser. */
            user_agent: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
            /**
             * Format: date-time
             * @description Time at which the session ends, even if it is used.
             */
            expires_at: string;
        };
        /** @description A link that signs in as an owner. */
        LoginLink: {
            id: string;
            /** @description Works once, and is only in this response. */
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        /** @description The outcome of a delivery that was posted by a backfill. */
        BackfillAnswer: {
            /** @description Status that the ingress answered: 202 if the delivery is stored, or 200 for providers that expect it. */
            status: number;
            /** @description Seconds to wait before another attempt, after a 429. */
            retry_after: number | null;
            /**
             * @description Whether the original signature fitted the payload.
             * @enum {string}
             */
            signature: "original" | "new";
            /** @description ID of the most recent log entry with the delivery ID. */
            delivery: string | null;
            /** @description Label of that entry; `Duplicate` if it was accepted before. */
            label: string | null;
        };
        /** @description The difference between a webhook at a provider and what a factory needs. */
        ConnectionPlan: {
            /** @enum {string} */
            provider: "github" | "gitlab" | "linear";
            /** @description As the provider names it. */
            target: string;
            /** @description Base URL of the API that was asked. */
            api_url: string;
            /**
             * @description What an apply does at the provider.
             * @enum {string}
             */
            action: "create" | "change" | "none";
            /** @description ID of the webhook at the provider; `null` if there is none. */
            hook: string | null;
            /** @description Whether no field has the state `change` or `manual`. */
            in_sync: boolean;
            fields: {
                /** @enum {string} */
                field: "url" | "content_type" | "events" | "active" | "tls_verification" | "secret" | "other_webhooks";
                /** @description `null` if there is no webhook, or if the provider does not report the field. */
                registered: string[] | null;
                wanted: string[];
                /**
                 * @description `same`: equal. `change`: an apply changes it. `send`: the provider does not report it, and an apply sends it. `unknown`: the provider does not report it, and an apply leaves it. `manual`: only a person can change it.
                 * @enum {string}
                 */
                state: "same" | "change" | "send" | "unknown" | "manual";
                /** @description What to do; `null` unless the state is `manual`. */
                remedy: string | null;
            }[];
            /** @description What needs the events. */
            needed_by: {
                /** @description As the provider registers it. */
                event: string;
                /** @description `null` for a setting of the factory in `dockbell.yaml`. */
                automation: string | null;
                /** @description For example `github issue_labeled` or `webhook`; or the setting: `pushWebhook`, `pullRequests`. */
                trigger: string;
            }[];
            /** @description What the API cannot register, and triggers that accept all events. */
            notes: string[];
            /** @description The secret that the webhook checks at the moment. */
            secret: {
                name: string;
                version: number;
            };
            /** @description Names this difference in the request that applies it. */
            digest: string;
        };
        /** @description What the ingress answered. */
        TestDeliveryAnswer: {
            status: number;
            headers: {
                [key: string]: string;
            };
            body: string;
        };
        /** @description A factory or an automation whose runs do not start. */
        Pause: {
            factory: string;
            /** @description `null` if the whole factory is paused. */
            automation: string | null;
            /** Format: date-time */
            paused_at: string;
            paused_by: {
                /** @enum {string} */
                kind: "token" | "local" | "oidc" | "link";
                id: string;
                name: string;
            };
            reason: string | null;
        };
        /** @description Whether runs start. */
        Drain: {
            /**
             * @description `draining`: no run starts until `DELETE /drain`. `stopping`: the daemon stops when its commands have ended.
             * @enum {string}
             */
            state: "running" | "draining" | "stopping";
            /**
             * Format: date-time
             * @description Since when no run starts.
             */
            since: string | null;
            /** @description Runs whose commands the daemon executes. */
            executing_runs: number;
            /** @description Runs that workers and receivers hold. A restart does not interrupt them. */
            worker_runs: number;
        };
        /** @description What a reload of the configuration changed. */
        Reload: {
            /** @description Options that took effect. */
            applied: string[];
            /** @description Options that take effect at the next start. */
            restart_required: string[];
            /** @description Names of factories. Their keys took effect. */
            factories: {
                added: string[];
                changed: string[];
                removed: string[];
            };
        };
        /** @description The process is running, and which program it is. */
        Health: {
            /** @enum {string} */
            status: "ok";
            /** @description Version of Dockbell. One that is not released ends with `-dev`. */
            version: string;
            /** @description The commit that was built, with `-dirty` if sources differed from it. */
            commit: string | null;
            /** @description When it was built. For a release, the time of the commit. */
            built_at: string | null;
            /** @description Version of Node.js. */
            node: string;
            /** @description Version of SQLite. */
            sqlite: string | null;
        };
        /** @description Deliveries can be taken. */
        Readiness: {
            ready: boolean;
            problems: string[];
            warnings: string[];
        };
        /** @description What is wrong with the installation. */
        DoctorReport: {
            /** @description The checks that ran. */
            checks: string[];
            findings: {
                /** @enum {string} */
                severity: "error" | "warning";
                check: string;
                message: string;
                /** @description What to do. */
                hint: string;
            }[];
        };
        /** @description Scheduled backups, and how far the current backup is. */
        BackupStatus: {
            /** @description `null` if the configuration has no `backup`. */
            schedule: {
                every_seconds: number;
                keep: number;
                dir: string;
                last_success: {
                    /** Format: date-time */
                    at: string;
                    file: string;
                    bytes: number;
                } | null;
                /** @description `null` if none failed since the start of the daemon. */
                last_failure: {
                    /** Format: date-time */
                    at: string;
                    problem: string;
                } | null;
                /** Format: date-time */
                next_at: string;
            } | null;
            /** @description `null` if no backup is being made. */
            running: {
                /** @enum {string} */
                phase: "copying" | "checking" | "writing";
                done_bytes: number;
                total_bytes: number;
            } | null;
        };
        /** @description A problem document (RFC 9457). */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description For programs; a published code keeps its meaning. */
            code: string;
            errors?: {
                pointer: string;
                /** @enum {string} */
                in: "body" | "query" | "path";
                detail: string;
            }[];
            /** @description What is wrong with definition files. */
            diagnostics?: {
                /** @enum {string} */
                severity: "error" | "warning";
                rule: string;
                file: string;
                line: number;
                column: number;
                path: string;
                message: string;
                hint: string;
            }[];
            /** @description For internal errors: look for it in the daemon’s log. */
            id?: string;
            /** @description For a reference that matches nothing, or more than one object: exact forms. */
            candidates?: {
                ref: string;
                factory: string | null;
                text: string;
            }[];
        };
    };
    responses: {
        /** @description Not changed since the `ETag` in `If-None-Match`. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The request is not valid; `errors` says where. */
        InvalidRequest: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No valid API token. */
        InvalidToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request was rejected. */
        SignInRejected: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token may not do this. */
        Forbidden: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request was rejected. */
        SignInForbidden: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It does not exist, or the token cannot access it. */
        NotFound: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request conflicts with the current state. `detail` says what to do. */
        Conflict: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It has changed since the `ETag` in `If-Match`. */
        Changed: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        BodyTooLarge: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON. */
        NotJson: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Host header names another host. */
        WrongHost: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Idempotency-Key was used with another body. */
        KeyReused: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The filter or the definition is not valid; `errors` or `diagnostics` lists all that is wrong. */
        InvalidContent: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests of this kind, or too many invalid tokens from this address. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error; `id` is in the daemon’s log. */
        InternalError: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A service that the daemon depends on did not respond. `detail` names it. */
        ServiceFailed: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not ready; `problems` says why. */
        NotReady: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The storage cannot be used now. */
        StorageUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Version of this representation. Send it as `If-Match` with a change, or as `If-None-Match` with a read. */
        ETag: string;
        /** @description Path of the new object. */
        Location: string;
        /** @description Where the browser goes next. */
        Redirect: string;
        /** @description `true` if this is the stored response of an earlier request with the same `Idempotency-Key` and body. */
        "Idempotent-Replayed": string;
        /** @description Seconds to wait before the next attempt. */
        "Retry-After": number;
        /** @description The quota that is used up and the seconds until it is renewed (`t`), if the limit counts one client. */
        RateLimit: string;
        /** @description Name, quota (`q`) and window in seconds (`w`) of that limit. */
        "RateLimit-Policy": string;
        /** @description The description of the problem in the documentation that the daemon serves, with `rel="help"`. */
        Link: string;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is running, and which program it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries can be taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NotReady"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    beginOidcSignIn: {
        parameters: {
            query?: {
                /** @description The page of the dashboard to go to afterwards, as a path. */
                return_to?: string;
                /** @description The browser was sent here from another address of this daemon. */
                here?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the provider, or back to the sign-in page. */
            303: {
                headers: {
                    Location: components["headers"]["Redirect"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    finishOidcSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the dashboard, or to the sign-in page with the reason as `error`. */
            303: {
                headers: {
                    Location: components["headers"]["Redirect"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getDashboardFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example index-B1c2D3e4.js */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description For browsers. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listFactories: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Factory"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A factory: where its definition comes from, what it serves and what was last tried. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factory"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    forgetFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The factory that was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgottenFactory"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getAncestry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /**
                 * @description A commit, or the first 7 digits or more of one.
                 * @example 0b8d6e4a2f9c7b5d3e1a0c8f6d4b2e9a7c5f3d1b
                 */
                revision: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a commit is live, directly or as part of a later commit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ancestry"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    renameFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name in the configuration. */
                    to: string;
                };
            };
        };
        responses: {
            /** @description A factory: where its definition comes from, what it serves and what was last tried. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factory"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listRevisions: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Revision"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    revertFactory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    revision: string;
                };
            };
        };
        responses: {
            /** @description A factory: where its definition comes from, what it serves and what was last tried. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factory"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getActivity: {
        parameters: {
            query?: {
                /**
                 * @description Its hour is the first one.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                from?: string;
                /**
                 * @description Its hour is the last one, unless the hour begins at this time.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                to?: string;
                bucket?: "hour";
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts for charts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listPauses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Pause"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    pauseFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Shown with the pause. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description A factory or an automation whose runs do not start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resumeFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs start again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    pauseAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example triage-issues */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Shown with the pause. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description A factory or an automation whose runs do not start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resumeAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example triage-issues */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs start again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listPullRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Open pull requests of a factory, and their last checks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullRequests"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listReconciliations: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Reconciliation"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    reconcileFactory: {
        parameters: {
            query?: {
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One attempt to apply a commit or an edit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
            /** @description A reconciliation was requested. It appears in the list when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationRequested"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example rec_01kdyak3se3n5p7q9r1t3v5w7x */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One attempt to apply a commit or an edit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    planFactory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Text of each definition file by its path in the folder of the factory. */
                    files: {
                        [key: string]: string;
                    };
                    /** @description The files in `agents/`, `runners/` and `skills/`. Without this list, the plan does not compare them. */
                    agent_files?: {
                        path: string;
                        size: number;
                        /** @description The ID of the blob in git. */
                        digest: string;
                    }[];
                    /** @description Names of the folders next to the definition, if `webhooks/` or `automations/` is missing. The plan names the one that may be misspelled. */
                    other_folders?: string[];
                };
            };
        };
        responses: {
            /** @description What applying a definition would change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanPreview"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description List the deleted webhooks instead. `commit` is the commit that deleted each. */
                deleted?: boolean;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Unique in the factory, and part of the file name. Only live factories can change it; UID and URL stay. */
                    name: string;
                    description?: string | null;
                    /**
                     * @description How senders authenticate. The default is `token`.
                     * @enum {string}
                     */
                    auth_mode?: "token" | "url_token" | "signature";
                    /** @description Signature scheme of the provider, or `custom`; `null` unless `auth_mode` is `signature`. */
                    signature_scheme?: string | null;
                    /** @description The `signature` block of the definition as written; `null` if it has none. */
                    signature?: JsonObject | null;
                    /** @description Name of the secret that holds the credential. */
                    secret_name?: string;
                    /** @description How long the previous version of the secret is accepted after an apply, such as `1h`. The default is `0s`. */
                    rotation_overlap?: string;
                    /** @description Name of the secret that a GET handshake must present; `null` if the webhook answers none. */
                    verify_token_secret_name?: string | null;
                    /**
                     * @description What senders post. With `form`, the payload is the JSON of the form. The default is `json`.
                     * @enum {string}
                     */
                    body_format?: "json" | "form";
                    /** @description Field of the form whose JSON is the payload; `null` for `payload`, if it is the only field, or all fields. */
                    form_field?: string | null;
                    /** @description Header in which the sender puts its own event ID; `null` if none is named. */
                    delivery_id_header?: string | null;
                    /** @description Path of the payload at which the sender writes its own event ID; `null` if none is named. */
                    delivery_id_path?: string | null;
                    /** @description Whether a delivery with the identity of an earlier one is a duplicate. The default is `true`. */
                    deduplicate?: boolean;
                    /** @description Where the sender writes the name of the event; `null` for the places of the scheme. */
                    event?: {
                        header?: string;
                        path?: string;
                    } | null;
                    /** @description Further request headers that are stored with each delivery. */
                    record_headers?: string[];
                    /**
                     * @description Provider whose triggers the webhook serves, or `none`; `null` for the provider of the signature scheme.
                     * @enum {string|null}
                     */
                    serves?: "github" | "gitlab" | "linear" | "jira" | "slack" | "teams" | "azure_devops" | "none" | null;
                    /** @description Names that filters of provider triggers use, and the IDs in payloads; `null` if there are none. */
                    names?: {
                        channels?: {
                            [key: string]: string;
                        };
                        users?: {
                            [key: string]: string;
                        };
                        teams?: {
                            [key: string]: string;
                        };
                    } | null;
                    /** @description GitLab: username whose mention starts `bot_mentioned`; `null` if none is set. */
                    bot_username?: string | null;
                    /** @description Accounts at the provider whose events start nothing. */
                    ignore_actors?: string[];
                    /** @description An alert opens if no delivery was accepted for this time, such as `24h`; `null` if none is expected. */
                    expect_every?: string | null;
                    enabled?: boolean;
                    /** @description As the provider issued it. Never returned. */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description The webhook after its secret was created. `secret` is set only if the daemon generated it. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook as the last apply left it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Unique in the factory, and part of the file name. Only live factories can change it; UID and URL stay. */
                    name?: string;
                    description?: string | null;
                    /** @description Name of the secret that holds the credential. */
                    secret_name?: string;
                    /** @description How long the previous version of the secret is accepted after an apply, such as `1h`. The default is `0s`. */
                    rotation_overlap?: string;
                    /** @description Name of the secret that a GET handshake must present; `null` if the webhook answers none. */
                    verify_token_secret_name?: string | null;
                    /**
                     * @description What senders post. With `form`, the payload is the JSON of the form. The default is `json`.
                     * @enum {string}
                     */
                    body_format?: "json" | "form";
                    /** @description Field of the form whose JSON is the payload; `null` for `payload`, if it is the only field, or all fields. */
                    form_field?: string | null;
                    /** @description Header in which the sender puts its own event ID; `null` if none is named. */
                    delivery_id_header?: string | null;
                    /** @description Path of the payload at which the sender writes its own event ID; `null` if none is named. */
                    delivery_id_path?: string | null;
                    /** @description Whether a delivery with the identity of an earlier one is a duplicate. The default is `true`. */
                    deduplicate?: boolean;
                    /** @description Where the sender writes the name of the event; `null` for the places of the scheme. */
                    event?: {
                        header?: string;
                        path?: string;
                    } | null;
                    /** @description Further request headers that are stored with each delivery. */
                    record_headers?: string[];
                    /**
                     * @description Provider whose triggers the webhook serves, or `none`; `null` for the provider of the signature scheme.
                     * @enum {string|null}
                     */
                    serves?: "github" | "gitlab" | "linear" | "jira" | "slack" | "teams" | "azure_devops" | "none" | null;
                    /** @description Names that filters of provider triggers use, and the IDs in payloads; `null` if there are none. */
                    names?: {
                        channels?: {
                            [key: string]: string;
                        };
                        users?: {
                            [key: string]: string;
                        };
                        teams?: {
                            [key: string]: string;
                        };
                    } | null;
                    /** @description GitLab: username whose mention starts `bot_mentioned`; `null` if none is set. */
                    bot_username?: string | null;
                    /** @description Accounts at the provider whose events start nothing. */
                    ignore_actors?: string[];
                    /** @description An alert opens if no delivery was accepted for this time, such as `24h`; `null` if none is expected. */
                    expect_every?: string | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description A webhook as the last apply left it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    sendTestDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The exact bytes of the body in base64. */
                    payload_base64: string;
                    /** @description Delivery ID to send in the header that identifies deliveries. If omitted, it is generated. */
                    delivery_id?: string;
                    /** @description Further request headers, such as the name of the event. Headers of the connection and headers with credentials cause 400. */
                    headers?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description What the ingress answered. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDeliveryAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    openCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How long the window stays open. */
                    for_seconds: number;
                };
            };
        };
        responses: {
            /** @description An open capture window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capture"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    closeCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed, also if none was open. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As the provider issued it. Never returned. */
                    secret?: string;
                } | null;
            };
        };
        responses: {
            /** @description The webhook after its secret was created. `secret` is set only if the daemon generated it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    setWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As the provider issued it. Never returned. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description A webhook as the last apply left it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listPayloadKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys of stored payloads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayloadKeys"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    backfillDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The delivery ID of the sender. */
                    delivery_id: string;
                    /** @description The headers of the original request, with its signature. Headers of the connection are ignored. */
                    headers: {
                        [key: string]: string;
                    };
                    /** @description The payload as JSON. */
                    payload: string;
                };
            };
        };
        responses: {
            /** @description The outcome of a delivery that was posted by a backfill. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    planConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The provider that posts to the webhook.
                     * @enum {string}
                     */
                    provider: "github" | "gitlab" | "linear";
                    /** @description GitHub: `ORG` or `ORG/REPO`. GitLab: the path of a project or a group. Linear: the key of a team, or `all` for all public teams. */
                    target: string;
                    /** @description Token of the provider. Used for this request only: never stored, logged or returned. */
                    token: string;
                    /** @description Base URL of the API, if it is not the public one of the provider. Needs the role `owner`, because the signing secret is sent to it. */
                    api_url?: string;
                    /**
                     * @description Send the secret even if nothing else differs, for example after a rotation.
                     * @default false
                     */
                    send_secret?: boolean;
                };
            };
        };
        responses: {
            /** @description The difference between a webhook at a provider and what a factory needs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionPlan"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    applyConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The provider that posts to the webhook.
                     * @enum {string}
                     */
                    provider: "github" | "gitlab" | "linear";
                    /** @description GitHub: `ORG` or `ORG/REPO`. GitLab: the path of a project or a group. Linear: the key of a team, or `all` for all public teams. */
                    target: string;
                    /** @description Token of the provider. Used for this request only: never stored, logged or returned. */
                    token: string;
                    /** @description Base URL of the API, if it is not the public one of the provider. Needs the role `owner`, because the signing secret is sent to it. */
                    api_url?: string;
                    /**
                     * @description Send the secret even if nothing else differs, for example after a rotation.
                     * @default false
                     */
                    send_secret?: boolean;
                    /** @description The `digest` of the confirmed difference. */
                    digest: string;
                };
            };
        };
        responses: {
            /** @description The difference between a webhook at a provider and what a factory needs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionPlan"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAutomations: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Automation"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description?: string | null;
                    enabled?: boolean;
                    /** @description `null` is the foreman. */
                    agent?: string | null;
                    prompt: string;
                    /** @description The number of runs with the same key that run at the same time; `null` for as many as the factory allows. */
                    concurrency?: JsonObject | null;
                    /** @description How long no delivery with the same key of `concurrency` may arrive before a run starts, with the latest payload; `null` to start without waiting. */
                    debounce?: string | null;
                    /** @description When a run that failed is started again; `null` for never. */
                    retry?: JsonObject | null;
                    /** @description The number of attempts that may start in a period; `null` for no limit. */
                    budget?: JsonObject | null;
                    /** @description The labels that a worker needs to get its runs; `null` if it needs none. */
                    runs_on?: string[] | null;
                    /** @description The repository that each run gets a checkout of; `null` for none. */
                    workspace?: JsonObject | null;
                    /**
                     * @deprecated
                     * @description Earlier name of `runs_on`.
                     */
                    runsOn?: string[] | null;
                    /** @description As the front matter of a file writes them. The validation of the definition checks them. */
                    triggers: (JsonObject)[];
                    /** @description Execution setting that is passed to the run unchanged. */
                    model?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    harness?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    runner?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    environmentId?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    secrets?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    mcpServers?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    workerHost?: Json;
                };
            };
        };
        responses: {
            /** @description An automation as the last apply left it. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example triage-issues */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An automation as the last apply left it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    putAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example triage-issues */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    enabled?: boolean;
                    /** @description `null` is the foreman. */
                    agent?: string | null;
                    prompt: string;
                    /** @description The number of runs with the same key that run at the same time; `null` for as many as the factory allows. */
                    concurrency?: JsonObject | null;
                    /** @description How long no delivery with the same key of `concurrency` may arrive before a run starts, with the latest payload; `null` to start without waiting. */
                    debounce?: string | null;
                    /** @description When a run that failed is started again; `null` for never. */
                    retry?: JsonObject | null;
                    /** @description The number of attempts that may start in a period; `null` for no limit. */
                    budget?: JsonObject | null;
                    /** @description The labels that a worker needs to get its runs; `null` if it needs none. */
                    runs_on?: string[] | null;
                    /** @description The repository that each run gets a checkout of; `null` for none. */
                    workspace?: JsonObject | null;
                    /**
                     * @deprecated
                     * @description Earlier name of `runs_on`.
                     */
                    runsOn?: string[] | null;
                    /** @description As the front matter of a file writes them. The validation of the definition checks them. */
                    triggers: (JsonObject)[];
                    /** @description Execution setting that is passed to the run unchanged. */
                    model?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    harness?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    runner?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    environmentId?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    secrets?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    mcpServers?: Json;
                    /** @description Execution setting that is passed to the run unchanged. */
                    workerHost?: Json;
                };
            };
        };
        responses: {
            /** @description An automation as the last apply left it. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            /** @description An automation as the last apply left it. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    deleteAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the representation to change. If it has changed since, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
                /** @example triage-issues */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ServiceFailed"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    testFilter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        /** @description Either `automation`, or `filter`, `headers_filter` or both. Either `delivery`, or `payload`, with `headers` if they matter. */
        requestBody: {
            content: {
                "application/json": {
                    /** @description A payload filter. */
                    filter?: Json;
                    /** @description A filter of request headers, as `headers` of a trigger. */
                    headers_filter?: Json;
                    /** @description Name of an automation of this factory. */
                    automation?: string;
                    /** @description Any JSON value. */
                    payload?: Json;
                    /** @description Request headers by name, in any letter case. A stored delivery has its recorded headers. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description ID of an accepted delivery to this factory. */
                    delivery?: string;
                };
            };
        };
        responses: {
            /** @description What a filter or an automation would do, and which key decided. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilterResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    backtestTriggers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The automation whose triggers these would replace; `null` for a new one. */
                    automation: string | null;
                    /**
                     * @description Whether the automation is enabled. Disabled automations never start runs.
                     * @default true
                     */
                    enabled?: boolean;
                    /** @description As in the front matter of a file. Triggers of other providers start nothing here. */
                    triggers: ({
                        provider: string;
                        filter?: {
                            webhook_ids?: string[] | {
                                in: string[];
                            };
                            webhooks?: string[];
                            headers?: JsonObject;
                            payload?: JsonObject | null;
                        };
                    } & {
                        [key: string]: unknown;
                    })[];
                };
            };
        };
        responses: {
            /** @description Automations whose triggers change, evaluated with stored deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backtest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["InvalidContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                label?: "Accepted" | "Duplicate" | "Rejected (auth)" | "Rejected (invalid JSON)" | "Rejected (too large)";
                /** @description The delivery ID of the sender, exactly. */
                delivery_id?: string;
                /**
                 * @description Received at this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                from?: string;
                /**
                 * @description Received before this time.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                to?: string;
                /** @description Only deliveries logged after the one with this ID. With `order=oldest_first`, a client that passes the last ID it has read gets each delivery once. 404 if the ID is not in the log any more. */
                after?: string;
                /** @description `oldest_first` cannot be combined with `delivery_id`, `event`, `unmatched` and `search`. */
                order?: "newest_first" | "oldest_first";
                /** @description Only accepted deliveries with this event name. `pull_request` also finds `pull_request.opened`. */
                event?: string;
                /** @description Only accepted deliveries that started no run. */
                unmatched?: boolean;
                /** @description Only accepted deliveries whose stored payload, or a recorded request header as `name: value`, contains exactly this text. */
                search?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                        /**
                         * Format: date-time
                         * @description Only with `search`, `event` or `unmatched`: when the oldest delivery that this page examined was received. `null` if the page examined all remaining deliveries.
                         */
                        examined_to?: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                label?: "Accepted" | "Duplicate" | "Rejected (auth)" | "Rejected (invalid JSON)" | "Rejected (too large)";
                /** @description The delivery ID of the sender, exactly. */
                delivery_id?: string;
                /**
                 * @description Received at this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                from?: string;
                /**
                 * @description Received before this time.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                to?: string;
                /** @description Only deliveries logged after the one with this ID. With `order=oldest_first`, a client that passes the last ID it has read gets each delivery once. 404 if the ID is not in the log any more. */
                after?: string;
                /** @description `oldest_first` cannot be combined with `delivery_id`, `event`, `unmatched` and `search`. */
                order?: "newest_first" | "oldest_first";
                /** @description Only accepted deliveries with this event name. `pull_request` also finds `pull_request.opened`. */
                event?: string;
                /** @description Only accepted deliveries that started no run. */
                unmatched?: boolean;
                /** @description Only accepted deliveries whose stored payload, or a recorded request header as `name: value`, contains exactly this text. */
                search?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                        /**
                         * Format: date-time
                         * @description Only with `search`, `event` or `unmatched`: when the oldest delivery that this page examined was received. `null` if the page examined all remaining deliveries.
                         */
                        examined_to?: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listHandshakes: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
                /** @example wh_7h3k9m2p5r8t1v4w6x0y3z5b8c */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Handshake"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row of the delivery log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getDeliveryPayload: {
        parameters: {
            query?: {
                /** @description The exact bytes received. They differ from the payload only if the body was a form. */
                exact?: boolean;
            };
            header?: never;
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exact bytes received. Without `exact`, the JSON of a form. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/x-www-form-urlencoded": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    diagnoseDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why a delivery was rejected. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only this automation; `null` for all. */
                    automation?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description One row of the delivery log. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    explainDelivery: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why each automation that listened started or did not, ordered by automation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    previewReplay: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description ID of the only delivery to replay. Not with filters. */
                delivery?: string;
                /** @description UID of a webhook. Without it, all webhooks of the factory. */
                webhook?: string;
                /** @description The delivery ID of the sender, exactly. */
                delivery_id?: string;
                /** @description The name of the event. `pull_request` also selects `pull_request.opened`. */
                event?: string;
                /**
                 * @description Received at this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                from?: string;
                /**
                 * @description Received before this time.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                to?: string;
                /** @description Only deliveries that started no run. */
                unmatched?: boolean;
                /** @description Text that the stored payload, or a recorded request header as `name: value`, contains exactly. */
                search?: string;
                /** @description The only automation to evaluate. */
                automation?: string;
                /** @description `now`: the live definition decides what starts. `then`: the same automations start as when the delivery was received, with their prompts of that time. */
                as_of?: "now" | "then";
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A part of a dry run of a replay. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayPreview"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listReplays: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                state?: "pending" | "running" | "finished" | "cancelled" | "failed";
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Replay"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createReplay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description ID of the only delivery to replay. Not with filters. */
                    delivery?: string;
                    /** @description UID of a webhook. Without it, all webhooks of the factory. */
                    webhook?: string;
                    /** @description The delivery ID of the sender, exactly. */
                    delivery_id?: string;
                    /** @description The name of the event. `pull_request` also selects `pull_request.opened`. */
                    event?: string;
                    /**
                     * @description Received at this time or later.
                     * @example 2026-01-02T03:04:05.678Z
                     */
                    from?: string;
                    /**
                     * @description Received before this time.
                     * @example 2026-01-02T03:04:05.678Z
                     */
                    to?: string;
                    /** @description Only deliveries that started no run. */
                    unmatched?: boolean;
                    /** @description Text that the stored payload, or a recorded request header as `name: value`, contains exactly. */
                    search?: string;
                    /** @description The only automation to evaluate. */
                    automation?: string;
                    /**
                     * @description `now`: the live definition decides what starts. `then`: the same automations start as when the delivery was received, with their prompts of that time.
                     * @default now
                     * @enum {string}
                     */
                    as_of?: "now" | "then";
                    /**
                     * @description Maximum number of deliveries that are replayed in a second.
                     * @default 10
                     */
                    rate?: number;
                } | null;
            };
        };
        responses: {
            /** @description A replay of stored deliveries, and how far it is. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example rpl_01kdyb0q4t6n8s2f5h7k9m3p1r */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A replay of stored deliveries, and how far it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example rpl_01kdyb0q4t6n8s2f5h7k9m3p1r */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A replay of stored deliveries, and how far it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listRuns: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                state?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
                /** @description Only dead letters: runs that failed and have no automatic attempt left. Not with `state`. */
                dead_letter?: boolean;
                automation?: string;
                /** @description ID of a delivery. */
                delivery?: string;
                /** @description Name or UID of a webhook. The UID finds deleted webhooks too. */
                webhook?: string;
                /** @description The revision that was live, or its first characters. */
                revision?: string;
                /**
                 * @description Created at this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                since?: string;
                /** @description A text in the result of the run: in its summary, in the title or the URL of a link, or in the name of an artifact. */
                search?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Run"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRunInput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a run was given. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunInput"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRunPayload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exact bytes received, or the JSON of a form. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRunAgentFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent files of the run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AgentFile"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRunLog: {
        parameters: {
            query?: {
                offset?: number;
                limit?: number;
                attempt?: number;
                /** @description The answer is an attachment, which browsers store as a file named after the run. */
                download?: boolean;
            };
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRunLogTimes: {
        parameters: {
            query?: {
                offset?: number;
                limit?: number;
                attempt?: number;
            };
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description When parts of the log of a run were written, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunLogTimes"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One execution of an automation for one delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description One execution of an automation for one delivery. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One execution of an automation for one delivery. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    countRetryableRuns: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                state?: "succeeded" | "failed" | "cancelled";
                /** @description Only dead letters: runs that failed and have no automatic attempt left. Not with `state`. */
                dead_letter?: boolean;
                automation?: string;
                /** @description ID of a delivery. */
                delivery?: string;
                /** @description Name or UID of a webhook. The UID finds deleted webhooks too. */
                webhook?: string;
                /** @description The revision that was live, or its first characters. */
                revision?: string;
                /**
                 * @description Created at this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                since?: string;
                /** @description A text in the result of the run: in its summary, in the title or the URL of a link, or in the name of an artifact. */
                search?: string;
            };
            header?: never;
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of runs that match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCount"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    retryRuns: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @example payments */
                factory: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 50 */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @enum {string} */
                    state?: "succeeded" | "failed" | "cancelled";
                    /** @description Only dead letters: runs that failed and have no automatic attempt left. Not with `state`. */
                    dead_letter?: boolean;
                    automation?: string;
                    /** @description ID of a delivery. */
                    delivery?: string;
                    /** @description Name or UID of a webhook. The UID finds deleted webhooks too. */
                    webhook?: string;
                    /** @description The revision that was live, or its first characters. */
                    revision?: string;
                    /**
                     * @description Created at this time or later.
                     * @example 2026-01-02T03:04:05.678Z
                     */
                    since?: string;
                    /** @description A text in the result of the run: in its summary, in the title or the URL of a link, or in the name of an artifact. */
                    search?: string;
                } | null;
            };
        };
        responses: {
            /** @description Which runs were retried. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRetries"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One execution of an automation for one delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listRunArtifacts: {
        parameters: {
            query?: {
                /** @description Number of an attempt. Default: the last one. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifacts, in the order of `result.json`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RunArtifact"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    downloadRunArtifact: {
        parameters: {
            query?: {
                /** @description Number of an attempt. Default: the last one. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
                /**
                 * @description Position in `result.json`.
                 * @example 1
                 */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    storeRunArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
                /**
                 * @description Position in `result.json`.
                 * @example 1
                 */
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409). */
                    fence: number;
                    /** @description Size of the whole file, in bytes. */
                    size: number;
                    /** @description Position of the part. */
                    offset: number;
                    content_base64: string;
                };
            };
        };
        responses: {
            /** @description Time within which a worker must send the next heartbeat. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listRunPosts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The posts, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RunPost"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    claimRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description By default every factory that the token reaches. */
                    factory?: string;
                    /** @default 1 */
                    limit?: number;
                    /**
                     * @description Time that the request waits for a run if none is queued. A drain of the daemon, and a newer claim of the worker, end the wait.
                     * @default 0
                     */
                    wait_seconds?: number;
                    /** @description What the worker states about itself, for `runsOn` and for the list of workers. */
                    worker?: {
                        /** @description Identifies the worker among those with the same token. Default: the only one. */
                        id?: string;
                        /** @description Default: the name of the token. */
                        name?: string;
                        /** @description Runs whose automation declares `runsOn` are only given to workers with all of these labels. */
                        labels?: string[];
                        version?: string;
                        concurrency?: number;
                    };
                    /**
                     * @description Whether the answer contains the secrets of the runs. Only for tokens with the role `worker`.
                     * @default false
                     */
                    secrets?: boolean;
                    /** @description All runs that the worker holds. Other runs that were given to it are interrupted, because it lost them. */
                    holding?: {
                        id: string;
                        fence: number;
                    }[];
                } | null;
            };
        };
        responses: {
            /** @description The claimed runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ClaimedRun"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    recordRunStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409). */
                    fence: number;
                };
            };
        };
        responses: {
            /** @description Time within which a worker must send the next heartbeat. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    renewRunLease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409). */
                    fence: number;
                    /**
                     * @description Output since the last request. It is appended to the log of the run.
                     * @default
                     */
                    log?: string;
                    /** @description Position of `log` in the output of the attempt, in bytes. Output that was received before is not appended again, so a request can be repeated. */
                    log_offset?: number;
                    /**
                     * @description How far the attempt is. It replaces the progress of the previous request, unless it is omitted or `null`.
                     * @default null
                     */
                    progress?: {
                        /** @default null */
                        percent?: number | null;
                        /** @default null */
                        text?: string | null;
                    } | null;
                    /** @description What the worker states about itself, for `runsOn` and for the list of workers. */
                    worker?: {
                        /** @description Identifies the worker among those with the same token. Default: the only one. */
                        id?: string;
                        /** @description Default: the name of the token. */
                        name?: string;
                        /** @description Runs whose automation declares `runsOn` are only given to workers with all of these labels. */
                        labels?: string[];
                        version?: string;
                        concurrency?: number;
                    };
                };
            };
        };
        responses: {
            /** @description Time within which a worker must send the next heartbeat. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    completeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409). */
                    fence: number;
                    /** @enum {string} */
                    state: "succeeded" | "failed";
                    /** @description Why it failed, in one sentence; only with `failed`. */
                    error?: string;
                    exit_code?: number | null;
                    /** @description What the run wrote to `result.json`, without its secrets: `summary`, `links` and `artifacts`. If it is invalid, the run shows why, and its state does not change. */
                    result?: JsonObject;
                    /**
                     * @description Output since the last request. It is appended to the log of the run.
                     * @default
                     */
                    log?: string;
                    /** @description Position of `log` in the output of the attempt, in bytes. Output that was received before is not appended again, so a request can be repeated. */
                    log_offset?: number;
                };
            };
        };
        responses: {
            /** @description One execution of an automation for one delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    handRunBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run_01kdyak3sfm8w6t2c4r0h7v9zn */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409). */
                    fence: number;
                    /** @description Why the worker did not start it, in one sentence. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description One execution of an automation for one delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Worker"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Secret"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    putSecret: {
        parameters: {
            query?: {
                mode?: "create" | "update";
                force?: boolean;
            };
            header?: never;
            path: {
                /** @example GITHUB_API_KEY */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Never returned. If omitted, only the scope of an existing secret changes. */
                    value?: string;
                    /** @description Factories that may use it; `null` for all. If omitted, an existing secret keeps its factories. A new one gets the only factory of the daemon, or else no factory. */
                    factories?: string[] | null;
                    /** @description What the factories may use it for. If omitted, an existing secret keeps its uses. A new one gets both, and so does `add`. */
                    uses?: ("webhook" | "run")[];
                    /** @description Adds `factories` and `uses` to the scope instead of replacing it. */
                    add?: boolean;
                };
            };
        };
        responses: {
            /** @description The newest version of the secret, and its scope. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretStored"];
                };
            };
            /** @description The newest version of the secret, and its scope. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretStored"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    deleteSecret: {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                /** @example GITHUB_API_KEY */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    diagnoseRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example GITHUB_API_KEY */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A signature scheme, or `token`. If omitted, the scheme of the webhooks that name the secret. `custom` uses their `signature` block. */
                    scheme?: string;
                    /** @description Header fields, one character for each byte of a value. */
                    headers: {
                        [key: string]: string;
                    };
                    /** @description The exact bytes of the body in base64. */
                    body_base64: string;
                    /** @description When it arrived (RFC 3339). If omitted, timestamps are not checked. */
                    received_at?: string;
                    /** @description The URL that the sender uses. The default is the URL of the webhook, if only one names the secret. */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description Why a delivery was rejected. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only alerts in this state. `active`: open or acknowledged. */
                state?: "open" | "acknowledged" | "resolved" | "active";
                /** @description Only alerts of this rule. */
                rule?: "applyFailed" | "runFailed" | "failureRate" | "loopGuard" | "deadLetter" | "rejectionBurst" | "rateLimited" | "silent" | "probe" | "queueAge" | "notifyFailing" | "disk" | "backupOverdue" | "tokenExpiring";
                /** @description Only alerts of this factory, without those of the installation. */
                factory?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alert"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example alt_01kdyak3tj2c4e6g8j1m3p5r7t */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that needs attention: one alert for each rule and object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example alt_01kdyak3tj2c4e6g8j1m3p5r7t */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What is being done, for the other readers of the alert. */
                    note?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Something that needs attention: one alert for each rule and object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAlertTargets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertTarget"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    testAlertTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example ops */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of a test message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertTest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    rotateMasterKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 32 random bytes in base64. Never returned, and never logged. */
                    new_key: string;
                };
            };
        };
        responses: {
            /** @description A change of the master key. `waiting`: install the new key before the next start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MasterKeyRotation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Token"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the token is for, without control characters. */
                    name: string;
                    /**
                     * @description Each role includes the permissions of the previous ones, except `worker`, which can only execute runs.
                     * @enum {string}
                     */
                    role: "viewer" | "operator" | "manager" | "owner" | "worker";
                    /** @description Names of the factories that the token can access. If omitted, it can access all. */
                    factories?: string[] | null;
                    /** @description How long it works, such as `90d`, at most 3650 days; `null` for a token that never expires. By default 90 days. */
                    expires_in?: string | null;
                    /** @description When it expires, instead of `expires_in`. */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description An API token with its text, which cannot be read again. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example tok_01kc8w5e2gq4s6v8x0z1b3d5f7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked, from the next request on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description Each role includes the permissions of the previous ones.
                     * @enum {string}
                     */
                    role: "viewer" | "operator" | "manager" | "owner";
                    /** @description Names of the factories that the user is limited to; `null` for all. */
                    factories?: string[] | null;
                    /** @description 12 to 256 characters, not the name of the user. Never returned. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Somebody who may sign in. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example usr_01kc8wb7t3n5p9r1s2v4x6z8a0 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted, and all sessions ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example usr_01kc8wb7t3n5p9r1s2v4x6z8a0 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Each role includes the permissions of the previous ones.
                     * @enum {string}
                     */
                    role?: "viewer" | "operator" | "manager" | "owner";
                    /** @description Names of the factories that the user is limited to; `null` for all. */
                    factories?: string[] | null;
                    /** @description 12 to 256 characters, not the name of the user. Never returned. */
                    password?: string;
                    disabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Somebody who may sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed-in user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One kind of credentials: a name and a password, the token of a login link, or an API token. */
        requestBody: {
            content: {
                "application/json": {
                    username: string;
                    password: string;
                } | {
                    login_token: string;
                } | {
                    api_token: string;
                };
            };
        };
        responses: {
            /** @description The signed-in user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SignInRejected"];
            403: components["responses"]["SignInForbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended, and its cookie is invalid. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    createLoginLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A link that signs in as an owner. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            422: components["responses"]["KeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description The signed-in user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All other sessions of this user were signed out. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example ses_01kdy9r5c7e9g1j3m5p7r9t2w4 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example usr_01kc8wb7t3n5p9r1s2v4x6z8a0 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example usr_01kc8wb7t3n5p9r1s2v4x6z8a0 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All sessions of the user have ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Further ways to sign in, in addition to passwords, tokens and login links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description ID of a user, an API token or a login link. */
                actor?: string;
                /** @description Path of an object, including everything below it: `secrets/A_SECRET`, `factories/payments`. */
                object?: string;
                /** @description Outcome of the request. */
                outcome?: "done" | "refused" | "failed" | "unanswered";
                /** @description `changes` includes sign-ins. `reads`: who read payloads, logs and artifacts. There is one entry per reader, object and day (UTC). */
                include?: "changes" | "reads" | "all";
                /**
                 * @description At this time or later.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                from?: string;
                /**
                 * @description Before this time.
                 * @example 2026-01-02T03:04:05.678Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Only of this factory. */
                factory?: string;
                /** @description For clients that cannot set `Last-Event-ID`: the `last_event_id` of `GET /session`. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream that does not end. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getDrain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether runs start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    startDrain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether runs start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelDrain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether runs start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    reloadConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a reload of the configuration changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reload"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getBackupStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Scheduled backups, and how far the current backup is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupStatus"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    downloadBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Include the captured output of runs.
                     * @default false
                     */
                    logs?: boolean;
                    /**
                     * @description Include the master key. Anyone who has such a backup can read all secrets.
                     * @default false
                     */
                    include_key?: boolean;
                };
            };
        };
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    examineInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is wrong with the installation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listReplicas: {
        parameters: {
            query?: {
                /** @description Without it, all entries. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Replica"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    findIds: {
        parameters: {
            query: {
                /**
                 * @description The type prefix and at least 6 further characters.
                 * @example run_01kdyak3sf
                 */
                prefix: string;
                /** @description Only objects of this factory. */
                factory?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FoundId"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listSchemas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["EditorSchema"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example webhook.json */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Schema. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": JsonObject;
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listSignatureSchemes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SignatureScheme"][];
                        /** @description Pass it back as `cursor`; `null` at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": JsonObject;
                };
            };
            400: components["responses"]["InvalidRequest"];
            421: components["responses"]["WrongHost"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    explainObject: {
        parameters: {
            query?: {
                /** @description Only objects of this factory. */
                factory?: string;
                /** @description List everything that a step with `expandable` sums up, at most 1000 entries of each kind. */
                all?: boolean;
            };
            header?: never;
            path: {
                /** @example dlv_01kdyak3seqx2as14e42d9kk25 */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why an object is in its state: what happened, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Story"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            421: components["responses"]["WrongHost"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
}
