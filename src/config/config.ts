import type { Role } from '../core/access.ts';

/** A listener's address. */
export interface ListenerConfig {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Who is told of the outcome of each commit. */
export interface NotifyConfig {
  readonly type: 'github' | 'gitlab' | 'gitea' | 'forgejo' | 'webhook';
  /** Base of the API, or address of the webhook, which may hold a credential: not to be shown. */
  readonly url: string;
  /** Name of the repository at the git host; `null` for a webhook. */
  readonly repository: string | null;
  readonly secretName: string;
  readonly context: string;
  readonly targetUrl: string | null;
}

/** A git repository that the team owns. */
export interface RepositoryConfig {
  readonly type: 'repository';
  /** A URL as written, or the absolute path of a local repository. May hold a password: not to be shown. */
  readonly url: string;
  readonly branch: string;
  /** `.` or a folder such as `sub/dir`. */
  readonly path: string;
  readonly pollIntervalMs: number;
  /** The webhook whose accepted deliveries tell of pushes; `null` where none does. */
  readonly pushWebhook: string | null;
}

/** Runs are carried out by a program on this machine. */
export interface CommandConfig {
  readonly type: 'command';
  /** Program and arguments; paths that were relative to the file are absolute. */
  readonly command: readonly string[];
  /** `null`: the user of the daemon. */
  readonly user: string | null;
}

/** What one factory is configured to do. */
export interface FactoryConfig {
  readonly name: string;
  /** `managed` and `live` are held by the service itself. */
  readonly source: RepositoryConfig | { readonly type: 'managed' | 'live' };
  readonly notify: readonly NotifyConfig[];
  readonly runs: {
    /** `null`: runs are born and stay queued until a worker claims them. */
    readonly executor: CommandConfig | { readonly type: 'queue' } | null;
    /** How long one attempt may take. */
    readonly timeoutMs: number;
    /** How long a worker may be silent. */
    readonly leaseMs: number;
    readonly concurrency: number;
    readonly retry: 'never' | 'interrupted';
  };
}

/** What a group at the OpenID provider may do here. */
export interface GroupConfig {
  readonly name: string;
  readonly role: Role;
  /** Names of factories of the configuration; `null` for all. */
  readonly factories: readonly string[] | null;
}

/** Sign-in at an OpenID provider. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Not to be shown. `null` where it stands in the file, and for a public client. */
  readonly clientSecret: string | null;
  /** Absolute path of the file of the client secret. */
  readonly clientSecretFile: string | null;
  /** How people call the provider. */
  readonly label: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly groups: readonly GroupConfig[];
  /** `null`: who has none of these groups cannot sign in. */
  readonly defaultRole: Role | null;
  /** Empty where the e-mail address does not matter. */
  readonly allowedDomains: readonly string[];
}

/** The whole configuration: defaults filled in, durations in milliseconds, paths absolute, frozen. */
export interface Config {
  /** Absolute path of the file it was read from; `null` where there was none. */
  readonly file: string | null;
  /** Without a slash at its end; `null` where it follows from the ingress listener. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Holds a folder for each run. */
  readonly runsDir: string;
  readonly masterKeyFile: string;
  readonly ingress: ListenerConfig;
  readonly admin: ListenerConfig & {
    /** An origin; `null` where it follows from the listener. */
    readonly url: string | null;
    /** `null` where nobody signs in there. */
    readonly oidc: OidcConfig | null;
    readonly sessionIdleMs: number;
    readonly sessionLifetimeMs: number;
    readonly openMetrics: boolean;
    readonly allowedHosts: readonly string[];
  };
  readonly storage: { readonly type: 'sqlite' };
  readonly trustedProxies: readonly string[];
  readonly limits: {
    readonly deliveriesPerMinute: number;
    readonly failedAuthPerMinute: number;
    readonly bodyBytes: number;
    readonly webhooksPerFactory: number;
  };
  readonly retention: {
    readonly deliveriesMs: number;
    readonly minDeliveries: number;
    readonly identitiesMs: number;
    readonly runsMs: number;
    readonly runBytes: number;
    readonly auditMs: number;
  };
  /** `level`: lines below it are left out. */
  readonly log: { readonly level: 'info' | 'warn' | 'error' | 'silent' };
  readonly shutdownGraceMs: number;
  readonly factories: readonly FactoryConfig[];
}
