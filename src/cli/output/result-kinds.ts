import type {
  ActivityHour,
  Alert,
  ApiToken,
  AuditEntry,
  Automation,
  BrowserSession,
  Delivery,
  Factory,
  PullRequest,
  Reconciliation,
  Replay,
  Revision,
  Run,
  RunArtifact,
  Secret,
  SignatureScheme,
  User,
  Webhook,
  Worker,
} from '../../client/api-types.ts';
import { FIELDS } from '../../client/fields.ts';
import type { BuildIdentity } from '../../domain/build-identity.ts';
import type { Profile } from '../profiles/profile-store.ts';

/** A kind of object that commands list or show. */
export interface ResultKind<Row> {
  /** Names for `--fields`. */
  fields: readonly string[];
  /** What `--quiet` prints for a row: what other commands take as an argument. */
  nameOf(row: Row): string;
  /** What that is, in the plural. */
  names: 'IDs' | 'names' | 'numbers' | 'revisions' | 'times' | 'the version';
}

/** The installed program, in the form of `/healthz`. */
interface VersionRow extends Omit<BuildIdentity, 'builtAt'> {
  built_at: string | null;
  os: string;
  arch: string;
}

/** A profile of the command line, in the form of the API. */
export interface ProfileRow extends Profile {
  name: string;
  /** Is it in use? */
  current: boolean;
}

const PROFILE_FIELDS = ['name', 'current', 'url', 'data_dir', 'token_file', 'factory'] satisfies (keyof ProfileRow)[];
const VERSION_FIELDS = ['version', 'commit', 'built_at', 'node', 'sqlite', 'os', 'arch'] satisfies (keyof VersionRow)[];

/** All kinds, so that the options of lists and shows have one description. */
export const RESULT_KINDS = {
  factory: describeKind<Factory>(FIELDS.Factory, 'names', ({ name }) => name),
  webhook: describeKind<Webhook>(FIELDS.Webhook, 'names', ({ name, uid, deleted_at: at }) =>
    at === null ? name : uid,
  ),
  automation: describeKind<Automation>(FIELDS.Automation, 'names', ({ name }) => name),
  delivery: describeKind<Delivery>(FIELDS.Delivery, 'IDs', ({ id }) => id),
  run: describeKind<Run>(FIELDS.Run, 'IDs', ({ id }) => id),
  artifact: describeKind<RunArtifact>(FIELDS.RunArtifact, 'names', ({ name }) => name),
  replay: describeKind<Replay>(FIELDS.Replay, 'IDs', ({ id }) => id),
  reconciliation: describeKind<Reconciliation>(FIELDS.Reconciliation, 'IDs', ({ id }) => id),
  pullRequest: describeKind<PullRequest>(FIELDS.PullRequest, 'numbers', ({ number }) => String(number)),
  revision: describeKind<Revision>(FIELDS.Revision, 'revisions', ({ revision }) => revision),
  secret: describeKind<Secret>(FIELDS.Secret, 'names', ({ name }) => name),
  scheme: describeKind<SignatureScheme>(FIELDS.SignatureScheme, 'names', ({ name }) => name),
  alert: describeKind<Alert>(FIELDS.Alert, 'IDs', ({ id }) => id),
  worker: describeKind<Worker>(FIELDS.Worker, 'names', ({ name }) => name),
  token: describeKind<ApiToken>(FIELDS.Token, 'IDs', ({ id }) => id),
  session: describeKind<BrowserSession>(FIELDS.Session, 'IDs', ({ id }) => id),
  activity: describeKind<ActivityHour>(FIELDS.ActivityHour, 'times', ({ start }) => start),
  profile: describeKind<ProfileRow>(PROFILE_FIELDS, 'names', ({ name }) => name),
  version: describeKind<VersionRow>(VERSION_FIELDS, 'the version', ({ version }) => version),
  // Names of users of the OpenID provider are not unique.
  user: describeKind<User>(FIELDS.User, 'names', ({ kind, name, id }) => (kind === 'local' ? name : id)),
  entry: describeKind<AuditEntry>(FIELDS.AuditEntry, 'IDs', ({ id }) => id),
} as const;

function describeKind<Row>(
  fields: readonly string[],
  names: ResultKind<Row>['names'],
  nameOf: (row: Row) => string,
): ResultKind<Row> {
  return { fields, names, nameOf };
}
