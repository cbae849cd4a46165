import type { Middleware } from 'openapi-fetch';
import { createApiClient } from '../../client/create-api-client.ts';
import { watchAttendance } from './attendance.ts';

let csrfToken: string | null = null;

/** Changes send the CSRF token of the session, which other web pages cannot read (threat model W2). */
export function rememberCsrfToken(token: string | null): void {
  csrfToken = token;
}

const sendCsrfToken: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== null && request.method !== 'GET') request.headers.set('x-csrf-token', csrfToken);
    return request;
  },
};

let isAttended = () => true;

/** Call it when the page opens. Requests then report whether a user is at the page. */
export function watchPage(page: EventTarget): void {
  isAttended = watchAttendance(page, () => performance.now());
}

/** The daemon does not count automatic requests as use of the session. */
const sendAttendance: Middleware = {
  onRequest({ request }) {
    if (!isAttended()) request.headers.set('x-unattended', '1');
    return request;
  },
};

/** The management API. Use it through `readAnswer`. */
export const api = createApiClient({ baseUrl: '/', credentials: 'same-origin' });
api.use(sendCsrfToken, sendAttendance);
