import type { FastifyInstance } from 'fastify';
import { ROLES, type Role, USER_NAME_PATTERN, type User } from '../../domain/access/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { IdSource, UserId } from '../../domain/ids.ts';
import type { UserChange, UserOutcome, UserTable } from '../../domain/ports/access.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type Passwords, requireGoodPassword } from '../auth/passwords.ts';
import { presentUser } from '../auth/present-access.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { type PageQuery, pageOf, presentPage, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { findUser, requireKnownFactories, unknownUser } from './require-known.ts';

interface UserRouteParts {
  inventory: Pick<InventoryReader, 'factories'>;
  users: UserTable;
  passwords: Passwords;
  clock: Pick<Clock, 'wallMs'>;
  ids: IdSource;
}

const tags = ['Users'];

const role = {
  type: 'string',
  enum: [...ROLES],
  description: 'Each role includes the permissions of the previous ones.',
};
const factories = {
  type: ['array', 'null'],
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string' },
  description: 'Names of the factories that the user is limited to; `null` for all.',
};
const password = {
  type: 'string',
  maxLength: 1024,
  description: '12 to 256 characters, not the name of the user. Never returned.',
};

const newUserSchema = {
  type: 'object',
  required: ['name', 'role', 'password'],
  additionalProperties: false,
  properties: { name: { type: 'string', pattern: USER_NAME_PATTERN.source }, role, factories, password },
};

const changeSchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: { role, factories, password, disabled: { type: 'boolean' } },
};

interface NewUserBody {
  name: string;
  role: Role;
  factories?: string[] | null;
  password: string;
}

type ChangeBody = Partial<Pick<NewUserBody, 'role' | 'factories' | 'password'> & { disabled: boolean }>;

const config = { access: requireRole('owner', 'team') };

/** People who can sign in. Passwords go in and never come out. */
export function usersPlugin(app: FastifyInstance, parts: UserRouteParts): void {
  app.get<{ Querystring: PageQuery }>(
    '/users',
    {
      config,
      schema: { tags, summary: 'List users', querystring: SHORT_LIST_QUERY, response: { 200: listOf('User') } },
    },
    async (request) =>
      presentPage(
        pageOf(await parts.users.list(), request.query, ({ id }) => id),
        presentUser,
      ),
  );

  app.post<{ Body: NewUserBody }>(
    '/users',
    {
      config: { ...config, idempotent: true, changes: 'stored' },
      schema: {
        tags,
        summary: 'Add a user with a password',
        body: newUserSchema,
        response: { 201: refTo('User'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const user = await addUser(parts, request.body);
      return reply.code(201).header('location', locate('users', user.id)).send(presentUser(user));
    },
  );

  registerChanges(app, parts);
}

async function addUser(parts: UserRouteParts, body: NewUserBody): Promise<User> {
  await requireKnownFactories(parts.inventory, body.factories ?? []);
  requireGoodPassword(body.password, body.name);
  const passwordHash = await parts.passwords.hash(body.password);
  const now = parts.clock.wallMs();
  const user: User = {
    id: parts.ids.userId(now),
    kind: 'local',
    name: body.name,
    role: body.role,
    factories: body.factories ?? null,
    disabledAt: null,
    createdAt: now,
    lastSignInAt: null,
    passwordChangedAt: now,
  };
  if (await parts.users.insertLocal(user, passwordHash)) return user;
  throw new AppError('conflict', 'There is a user of this name already. Letters of either case are the same.');
}

function registerChanges(app: FastifyInstance, parts: UserRouteParts): void {
  app.patch<{ Params: { id: string }; Body: ChangeBody }>(
    '/users/:id',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Change a user',
        description:
          'A new password and `disabled` end all sessions of the user. A new role and new factories apply from the next request on. Users of the OpenID provider have no password here, and get their role there at each sign-in.',
        body: changeSchema,
        response: { 200: refTo('User'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const user = await findUser(parts, request.params.id);
      const change = await readChange(parts, user, request.body);
      requireDone(await parts.users.change(user.id, change, parts.clock.wallMs()));
      return presentUser(await findUser(parts, user.id));
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/users/:id',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Delete a user',
        response: { 204: { type: 'null', description: 'Deleted, and all sessions ended.' }, 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      requireDone(await parts.users.delete(request.params.id as UserId));
      return reply.code(204).send();
    },
  );
}

async function readChange(parts: UserRouteParts, user: User, body: ChangeBody): Promise<UserChange> {
  const { password, ...change } = body;
  await requireKnownFactories(parts.inventory, change.factories ?? []);
  if (user.kind === 'oidc' && (password ?? change.role ?? change.factories) !== undefined) {
    throw new AppError(
      'conflict',
      `${user.name} signs in at the OpenID provider, which decides their role and password.`,
    );
  }
  if (password === undefined) return change;
  requireGoodPassword(password, user.name);
  return { ...change, passwordHash: await parts.passwords.hash(password) };
}

function requireDone(outcome: UserOutcome): void {
  if (outcome === 'not_found') throw unknownUser();
  if (outcome === 'last_owner') {
    throw new AppError('conflict', 'This is the last owner who can sign in. Make another user an owner first.');
  }
}
