import { ROLES } from '../../domain/access/access.ts';
import type { Option } from './option.ts';

/** Options of the private listener. They are part of the table of options. */
export const ADMIN_OPTIONS = {
  'admin.host': {
    title: 'Admin host',
    type: { kind: 'text', format: 'listenHost' },
    default: '127.0.0.1',
    description: 'Address that the management API, the dashboard and the metrics bind to. Keep it private.',
    examples: ['127.0.0.1', '10.0.0.5'],
    env: 'DOCKBELL_ADMIN_HOST',
    secret: false,
  },
  'admin.port': {
    title: 'Admin port',
    type: { kind: 'integer', min: 0, max: 65_535 },
    default: 8788,
    description:
      'Port of the admin listener. With 0, the system chooses a free port, and the daemon writes it to `daemon.json` in `dataDir`.',
    examples: [8788, 0],
    env: 'DOCKBELL_ADMIN_PORT',
    secret: false,
  },
  'admin.url': {
    title: 'Admin URL',
    type: { kind: 'text', format: 'originUrl' },
    default: null,
    description:
      'Public URL of the dashboard, if it differs from the listener address (for example, behind a reverse proxy). Its host name is allowed in the `Host` header. With `https`, session cookies are sent only over TLS. Default: the address of the admin listener.',
    examples: ['https://dockbell.example.com'],
    env: 'DOCKBELL_ADMIN_URL',
    secret: false,
  },
  'admin.sessionIdle': {
    title: 'Session idle timeout',
    type: { kind: 'duration', min: '1m', max: '12h' },
    default: '30m',
    description: 'Idle timeout of dashboard sessions.',
    examples: ['30m', '12h'],
    env: 'DOCKBELL_ADMIN_SESSION_IDLE',
    secret: false,
  },
  'admin.sessionLifetime': {
    title: 'Session lifetime',
    type: { kind: 'duration', min: '1m', max: '7d' },
    default: '12h',
    description: 'Maximum lifetime of dashboard sessions, even if they are in use.',
    examples: ['12h', '7d'],
    env: 'DOCKBELL_ADMIN_SESSION_LIFETIME',
    secret: false,
  },
  'admin.oidc.issuer': {
    title: 'Issuer',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    required: true,
    description:
      'Issuer identifier of the OpenID provider, exactly as in its discovery document. Must use `https`, except on localhost. The daemon contacts the provider at the first sign-in, not at start.',
    examples: ['https://login.example.com/realms/team'],
    env: null,
    secret: false,
  },
  'admin.oidc.clientId': {
    title: 'Client ID',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    required: true,
    description:
      'Client ID of this daemon at the provider. Register it there with the redirect URI `<admin.url>/auth/oidc/callback`.',
    examples: ['dockbell'],
    env: null,
    secret: false,
  },
  'admin.oidc.clientSecret': {
    title: 'Client secret',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'Client secret at the provider. Put it in an environment variable, `${OIDC_CLIENT_SECRET}`, or in a file (`clientSecretFile`). Without a secret, the daemon is a public client that uses PKCE.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
    examples: ['${OIDC_CLIENT_SECRET}'],
    env: 'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET',
    secret: true,
  },
  'admin.oidc.clientSecretFile': {
    title: 'Client secret file',
    type: { kind: 'path' },
    default: null,
    description:
      'File of the client secret, instead of `clientSecret`. The daemon reads it at start and ignores a line break at the end.',
    examples: ['/run/secrets/dockbell-oidc'],
    env: 'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET_FILE',
    secret: false,
  },
  'admin.oidc.label': {
    title: 'Label',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description: 'Name of the provider on the sign-in page: "Sign in with ...". Default: the host of the issuer.',
    examples: ['Example SSO'],
    env: null,
    secret: false,
  },
  'admin.oidc.scopes': {
    title: 'Scopes',
    type: { kind: 'list', format: 'scope' },
    default: ['openid', 'profile', 'email'],
    description:
      'Scopes to request from the provider. `openid` is always included. Some providers send groups only with an additional scope.',
    examples: [['openid', 'profile', 'email', 'groups']],
    env: null,
    secret: false,
  },
  'admin.oidc.groupsClaim': {
    title: 'Groups claim',
    type: { kind: 'text', format: 'visibleText' },
    default: 'groups',
    description:
      'Claim that contains the groups of a user: a string or a list of strings. `a.b` means `b` inside `a`. If the ID token has no such claim, the daemon requests it from the user info endpoint.',
    examples: ['groups', 'realm_access.roles'],
    env: null,
    secret: false,
  },
  'admin.oidc.defaultRole': {
    title: 'Default role',
    type: { kind: 'choice', values: ROLES },
    default: null,
    description:
      'Role of users who are in none of the `groups`, for all factories. Default: these users cannot sign in.',
    examples: ['viewer'],
    env: null,
    secret: false,
  },
  'admin.oidc.allowedDomains': {
    title: 'Allowed domains',
    type: { kind: 'list', format: 'hostName' },
    default: [],
    description:
      'Email domains that may sign in. The provider must confirm that the address is verified (`email_verified`). Default: all addresses are allowed.',
    examples: [['example.com']],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].name': {
    title: 'Group name',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    required: true,
    description: 'Name of the group, exactly as in the claim.',
    examples: ['platform-team', '/platform-team'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].role': {
    title: 'Group role',
    type: { kind: 'choice', values: ROLES },
    default: null,
    required: true,
    description:
      'Role of the members of the group. Users in several groups get the highest role. Groups are read at every sign-in.',
    examples: ['owner', 'operator'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].factories': {
    title: 'Group factories',
    type: { kind: 'list', format: 'factoryName' },
    default: null,
    description:
      'Factories that the members of the group may access. Default: all. For users in several groups, the factories of the groups with the highest role are combined.',
    examples: [['payments']],
    env: null,
    secret: false,
  },
  'admin.openMetrics': {
    title: 'Open metrics',
    type: { kind: 'boolean' },
    default: false,
    description: 'Serve `/metrics` without a token.',
    examples: [true],
    env: 'DOCKBELL_ADMIN_OPEN_METRICS',
    secret: false,
  },
  'admin.allowedHosts': {
    title: 'Allowed hosts',
    type: { kind: 'list', format: 'hostName' },
    default: [],
    description:
      'Host names, with or without port, that the admin listener accepts in addition to localhost. Requests with another `Host` header are rejected.',
    examples: [['dockbell.example.com']],
    env: 'DOCKBELL_ADMIN_ALLOWED_HOSTS',
    secret: false,
  },
} as const satisfies Readonly<Record<string, Option>>;
