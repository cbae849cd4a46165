import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { AlertId } from '../../domain/ids.ts';
import { ALERT_STATES, type Alert, type AlertState } from '../../domain/messages/alert.ts';
import { ALERT_RULE_NAMES, type AlertRule } from '../../domain/messages/alert-rules.ts';
import type { AlertControl, AlertStore } from '../../domain/ports/messages.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import { listOf, noBody, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageQuerySchema, presentPage, readPage } from '../server/page-query.ts';
import { actorOf, principalOf } from '../server/reach.ts';
import { presentAlert, presentTarget } from './present-alert.ts';

interface AlertRouteParts {
  alerts: AlertControl;
  store: Pick<AlertStore, 'list' | 'get'>;
}

interface AlertQuery extends PageQuery {
  state?: AlertState | 'active';
  rule?: AlertRule;
  factory?: string;
}

const MAX_NOTE = 500;
const tags = ['Alerts'];

const filters = {
  state: {
    type: 'string',
    enum: [...ALERT_STATES, 'active'],
    description: 'Only alerts in this state. `active`: open or acknowledged.',
  },
  rule: { type: 'string', enum: [...ALERT_RULE_NAMES], description: 'Only alerts of this rule.' },
  factory: {
    type: 'string',
    minLength: 1,
    description: 'Only alerts of this factory, without those of the installation.',
  },
};

const acknowledgeBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    note: {
      type: ['string', 'null'],
      maxLength: MAX_NOTE,
      description: 'What is being done, for the other readers of the alert.',
    },
  },
};

/** Alerts and their targets. */
export function alertsPlugin(app: FastifyInstance, parts: AlertRouteParts): void {
  registerAlerts(app, parts);
  registerTargets(app, parts);
}

function registerAlerts(app: FastifyInstance, { alerts, store }: AlertRouteParts): void {
  app.get<{ Querystring: AlertQuery }>(
    '/alerts',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags,
        summary: 'List alerts',
        description:
          'Newest first. Alerts about the installation, such as disk space, are omitted for tokens that are limited to some factories. Resolved alerts are kept for 90 days.',
        querystring: pageQuerySchema(filters),
        response: { 200: listOf('Alert') },
      },
    },
    async (request) => {
      const { state, rule, factory, ...page } = request.query;
      const principal = principalOf(request);
      const isReached = factory === undefined || reachesFactory(principal, factory);
      if (!isReached) return { data: [], next_cursor: null };
      const factories = factory === undefined ? principal.factories : [factory];
      const wanted = { ...readPage(page), state: state ?? null, rule: rule ?? null, factories };
      return presentPage(await store.list(wanted), presentAlert);
    },
  );

  app.get<{ Params: { id: AlertId } }>(
    '/alerts/:id',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: { tags, summary: 'Show an alert', response: { 200: refTo('Alert') } },
    },
    async (request) => presentAlert(await findAlert(request, store, request.params.id)),
  );

  app.post<{ Params: { id: AlertId }; Body: { note?: string | null } | null }>(
    '/alerts/:id/acknowledge',
    {
      config: { access: requireRole('operator', 'object'), changes: 'stored' },
      schema: {
        tags,
        summary: 'Acknowledge an alert',
        description:
          'Messages about the alert are not repeated. It is resolved when its cause has ended. Answers 409 if the alert is not open.',
        body: acknowledgeBody,
        response: { 200: refTo('Alert'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { id } = await findAlert(request, store, request.params.id);
      const note = request.body?.note?.trim() || null;
      return presentAlert(await alerts.acknowledge(id, actorOf(request), note));
    },
  );
}

function registerTargets(app: FastifyInstance, { alerts }: AlertRouteParts): void {
  app.get(
    '/alert-targets',
    {
      config: { access: requireRole('viewer', 'team') },
      schema: { tags, summary: 'List the targets of alerts', response: { 200: listOf('AlertTarget') } },
    },
    async () => ({ data: alerts.targets().map(presentTarget), next_cursor: null }),
  );

  app.post<{ Params: { name: string } }>(
    '/alert-targets/:name/test',
    {
      config: { access: requireRole('operator', 'team') },
      schema: {
        tags,
        summary: 'Send a test message',
        description: 'Sends one message to the target immediately, and answers when the target has answered.',
        body: noBody,
        response: { 200: refTo('AlertTest') },
      },
    },
    async (request) => {
      const problem = await alerts.test(request.params.name);
      return { target: request.params.name, sent: problem === null, problem };
    },
  );
}

/** Throws `not_found` for an alert that the token does not reach, in the same words as for one that does not exist. */
async function findAlert(request: FastifyRequest, store: AlertRouteParts['store'], id: AlertId): Promise<Alert> {
  const found = await store.get(id);
  const principal = principalOf(request);
  const isReached =
    found !== null &&
    (found.factory === null ? principal.factories === null : reachesFactory(principal, found.factory));
  if (isReached) return found;
  throw new AppError('not_found', 'There is no such alert.');
}
