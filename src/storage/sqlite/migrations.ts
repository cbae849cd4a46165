/**
 * The schema, one step per version. A released step is never edited: a change is a new step. `user_version` of a file
 * is the number of its applied steps.
 *
 * In the tables of the hot path (`deliveries`, `delivery_contents`, `identities`, `runs`) numbers rise with time, so
 * retention needs no index on age. Payloads are in a separate table, so that lists never read them. `identities`
 * outlives `deliveries`, because a sender may repeat a delivery much later.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE factories (
    name TEXT PRIMARY KEY,
    applied_revision TEXT,
    applied_at INTEGER,
    applied_source TEXT,
    attempted_revision TEXT,
    attempted_at INTEGER,
    conditions TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE webhooks (
    ref INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL REFERENCES factories (name),
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    description TEXT,
    auth_mode TEXT NOT NULL,
    signature_scheme TEXT,
    secret_name TEXT NOT NULL,
    secret_version INTEGER NOT NULL,
    delivery_id_header TEXT,
    enabled INTEGER NOT NULL,
    revision TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    UNIQUE (factory, name)
  ) STRICT;

  CREATE TABLE automation_versions (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    factory TEXT NOT NULL REFERENCES factories (name),
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    prompt TEXT NOT NULL,
    agent TEXT,
    overrides TEXT NOT NULL,
    UNIQUE (factory, name, digest)
  ) STRICT;

  CREATE TABLE automations (
    factory TEXT NOT NULL REFERENCES factories (name),
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    description TEXT,
    enabled INTEGER NOT NULL,
    triggers TEXT NOT NULL,
    listens_to TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES automation_versions (version),
    revision TEXT,
    updated_at INTEGER NOT NULL,
    warnings TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (factory, name)
  ) STRICT;

  CREATE TABLE reconciliations (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL REFERENCES factories (name),
    revision TEXT,
    result TEXT NOT NULL,
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    diagnostics TEXT NOT NULL,
    plan TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    attempted_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX reconciliations_by_factory ON reconciliations (factory, seq);

  CREATE TABLE identities (
    seq INTEGER PRIMARY KEY,
    webhook INTEGER NOT NULL,
    source INTEGER NOT NULL,
    key TEXT NOT NULL,
    delivery TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    accepted_at INTEGER NOT NULL,
    UNIQUE (webhook, source, key)
  ) STRICT;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    webhook INTEGER NOT NULL,
    label INTEGER NOT NULL,
    reason TEXT,
    detail TEXT,
    identity_source INTEGER,
    identity TEXT,
    size INTEGER NOT NULL,
    count INTEGER NOT NULL DEFAULT 1,
    received_at INTEGER NOT NULL,
    client_address TEXT NOT NULL,
    revision TEXT,
    duplicate_of TEXT
  ) STRICT;
  CREATE INDEX deliveries_by_webhook ON deliveries (webhook, seq);
  CREATE INDEX deliveries_by_label ON deliveries (webhook, label, seq);

  CREATE TABLE delivery_contents (
    delivery INTEGER PRIMARY KEY,
    body BLOB NOT NULL,
    decisions TEXT NOT NULL
  ) STRICT;

  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL,
    automation TEXT NOT NULL,
    version INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    delivery_id TEXT NOT NULL,
    delivery_identity TEXT NOT NULL,
    webhook INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued',
    attempt INTEGER NOT NULL DEFAULT 1,
    executor TEXT,
    revision TEXT,
    error TEXT,
    exit_code INTEGER,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    UNIQUE (delivery, automation)
  ) STRICT;
  CREATE INDEX runs_by_state ON runs (state, factory, seq);
  CREATE INDEX runs_by_factory ON runs (factory, seq);

  CREATE TABLE secret_names (
    name TEXT PRIMARY KEY,
    last_version INTEGER NOT NULL,
    newest_version INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE secret_versions (
    name TEXT NOT NULL REFERENCES secret_names (name),
    version INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (name, version)
  ) STRICT;

  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT;

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    factories TEXT,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT;
  `,
  // The `signature` block of a webhook, as JSON.
  `ALTER TABLE webhooks ADD COLUMN signature TEXT;`,
  `
  ALTER TABLE webhooks ADD COLUMN verify_token_secret_name TEXT;
  ALTER TABLE webhooks ADD COLUMN verify_token_secret_version INTEGER;

  CREATE TABLE handshakes (
    seq INTEGER PRIMARY KEY,
    webhook INTEGER NOT NULL,
    handshake TEXT NOT NULL,
    outcome INTEGER NOT NULL,
    detail TEXT,
    count INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    client_address TEXT NOT NULL
  ) STRICT;
  CREATE INDEX handshakes_by_webhook ON handshakes (webhook, seq);
  `,
  `
  CREATE TABLE notices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL,
    target TEXT NOT NULL,
    revision TEXT NOT NULL,
    outcome TEXT NOT NULL,
    report TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    problem TEXT,
    failing_since INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (factory, target, revision)
  ) STRICT;
  CREATE INDEX notices_by_target ON notices (factory, target, seq);
  CREATE INDEX notices_by_state ON notices (factory, target, state, due_at);
  `,
  // A webhook can be renamed: names are unique among existing webhooks, not among deleted ones.
  `
  CREATE TABLE renamed_webhooks (
    ref INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL REFERENCES factories (name),
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    description TEXT,
    auth_mode TEXT NOT NULL,
    signature_scheme TEXT,
    signature TEXT,
    secret_name TEXT NOT NULL,
    secret_version INTEGER NOT NULL,
    verify_token_secret_name TEXT,
    verify_token_secret_version INTEGER,
    delivery_id_header TEXT,
    enabled INTEGER NOT NULL,
    revision TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
  ) STRICT;
  INSERT INTO renamed_webhooks (
    ref, uid, factory, name, file, description, auth_mode, signature_scheme, signature, secret_name, secret_version,
    verify_token_secret_name, verify_token_secret_version, delivery_id_header, enabled, revision, created_at,
    updated_at, deleted_at
  ) SELECT
    ref, uid, factory, name, file, description, auth_mode, signature_scheme, signature, secret_name, secret_version,
    verify_token_secret_name, verify_token_secret_version, delivery_id_header, enabled, revision, created_at,
    updated_at, deleted_at
  FROM webhooks;
  DROP TABLE webhooks;
  ALTER TABLE renamed_webhooks RENAME TO webhooks;
  CREATE UNIQUE INDEX webhooks_by_name ON webhooks (factory, name) WHERE deleted_at IS NULL;
  CREATE INDEX webhooks_by_factory ON webhooks (factory, name);

  CREATE TABLE live_revisions (
    factory TEXT PRIMARY KEY REFERENCES factories (name),
    revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE live_files (
    factory TEXT NOT NULL REFERENCES factories (name),
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    uid TEXT,
    PRIMARY KEY (factory, path)
  ) STRICT;
  `,
  // A session has one owner: a user, an API token, or the login link that created it, which is already deleted.
  `
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    factories TEXT,
    password_hash TEXT,
    password_changed_at INTEGER,
    disabled_at INTEGER,
    created_at INTEGER NOT NULL,
    last_sign_in_at INTEGER
  ) STRICT;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    user TEXT REFERENCES users (id) ON DELETE CASCADE,
    token TEXT REFERENCES tokens (id) ON DELETE CASCADE,
    link TEXT,
    client_address TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    CHECK ((user IS NULL) + (token IS NULL) + (link IS NULL) = 2)
  ) STRICT;
  CREATE INDEX sessions_by_user ON sessions (user);
  CREATE INDEX sessions_by_token ON sessions (token);
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE login_links (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    origin TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  `,
  // A replay of a stored delivery is a separate row that names the original.
  `ALTER TABLE deliveries ADD COLUMN replay_of TEXT;`,
  `
  CREATE TABLE kept_answers (
    key BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    sealed BLOB NOT NULL,
    kept_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX kept_answers_by_age ON kept_answers (kept_at);
  `,
  // Only retention may touch an entry again, which the trigger enforces. `audit_objects` lists the object of an entry
  // and its parents, so that an index finds the history of a factory.
  `
  CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    actor_kind TEXT,
    actor TEXT,
    actor_name TEXT,
    method TEXT NOT NULL,
    route TEXT NOT NULL,
    object TEXT NOT NULL,
    changes TEXT,
    status INTEGER NOT NULL,
    client_address TEXT NOT NULL
  ) STRICT;
  CREATE INDEX login_links_by_end ON login_links (expires_at);
  CREATE INDEX audit_log_by_actor ON audit_log (actor, seq);
  CREATE TABLE audit_objects (
    object TEXT NOT NULL,
    entry INTEGER NOT NULL REFERENCES audit_log (seq) ON DELETE CASCADE,
    PRIMARY KEY (object, entry)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX audit_objects_by_entry ON audit_objects (entry);
  CREATE TRIGGER audit_log_only_grows BEFORE UPDATE ON audit_log
  BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log do not change');
  END;
  `,
  // Search by the sender's delivery ID, and hourly counts, which outlive the log.
  `
  CREATE INDEX deliveries_by_identity ON deliveries (webhook, identity, seq, label) WHERE identity IS NOT NULL;

  CREATE TABLE delivery_counts (
    webhook INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    label INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (webhook, hour, label)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO delivery_counts (webhook, hour, label, count)
    SELECT webhook, received_at / 3600000, label, sum(count) FROM deliveries WHERE replay_of IS NULL GROUP BY 1, 2, 3;
  `,
  // The browser of a session, to identify it in a list. An index of rejected and failed changes, which are rare.
  `
  ALTER TABLE sessions ADD COLUMN user_agent TEXT;
  CREATE INDEX audit_log_not_done ON audit_log (seq) WHERE status >= 400;
  `,
  // Each index of the log costs every delivery a page. The index by label is sufficient for all labels, because their
  // entries can be merged. An accepted entry is found by its row in `identities`.
  `
  DROP INDEX deliveries_by_webhook;
  DROP INDEX deliveries_by_identity;
  CREATE INDEX deliveries_by_identity ON deliveries (webhook, identity, seq, label)
    WHERE identity IS NOT NULL AND (label <> 0 OR replay_of IS NOT NULL);
  `,
  // The digest of a body is encrypted with the response. A plain digest could reveal a password in the body.
  `
  DELETE FROM kept_answers;
  ALTER TABLE kept_answers DROP COLUMN fingerprint;
  `,
  // The keys of hashed long IDs get a prefix that no ID can contain. An earlier row may be a hash or an ID that looks
  // like one, so it counts as both: a false duplicate is better than a run that starts twice. The numbers are positions
  // in IDENTITY_SOURCES.
  `
  INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at)
    SELECT webhook, source, char(10) || key, delivery, body_hash, accepted_at FROM identities
    WHERE source <> 3 AND length(key) = 71 AND key GLOB 'sha256:*';
  `,
  // The storage finds an identity by a table in memory. An index of the keys would change a random page of the file for
  // each delivery.
  `
  CREATE TABLE appended_identities (
    seq INTEGER PRIMARY KEY,
    webhook INTEGER NOT NULL,
    source INTEGER NOT NULL,
    key TEXT NOT NULL,
    delivery TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    accepted_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO appended_identities (seq, webhook, source, key, delivery, body_hash, accepted_at)
    SELECT seq, webhook, source, key, delivery, body_hash, accepted_at FROM identities ORDER BY seq;
  DROP TABLE identities;
  ALTER TABLE appended_identities RENAME TO identities;
  `,
  // The listeners of each webhook at each apply, so that the decisions of a delivery can be composed when they are read.
  // The live ones count as the first apply. Deliveries of earlier versions store their decisions.
  `
  ALTER TABLE factories ADD COLUMN applies INTEGER NOT NULL DEFAULT 0;
  UPDATE factories SET applies = 1 WHERE applied_revision IS NOT NULL;
  CREATE TABLE listener_history (
    webhook TEXT NOT NULL,
    automation TEXT NOT NULL,
    first_apply INTEGER NOT NULL,
    end_apply INTEGER,
    factory TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    filters TEXT NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (webhook, automation, first_apply)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX listener_history_live ON listener_history (factory, automation) WHERE end_apply IS NULL;
  CREATE INDEX listener_history_ended ON listener_history (webhook, end_apply) WHERE end_apply IS NOT NULL;
  INSERT INTO listener_history (webhook, automation, first_apply, factory, enabled, filters)
    SELECT uid, name, 1, factory, enabled, json_group_array(json(filter) ORDER BY number)
    FROM (
      SELECT DISTINCT listened.value AS uid, name, factory, enabled, lists.key AS number,
        coalesce(nullif(triggers -> ('$[' || lists.key || '].payload'), 'null'), '{}') AS filter
      FROM automations, json_each(listens_to) AS lists, json_each(lists.value) AS listened
    )
    GROUP BY uid, name, factory, enabled;
  `,
  // The order of lists and the hourly counts are written for many deliveries together: see `delivery-listing.ts`. An index
  // of the log would change one page per webhook in each batch.
  `
  CREATE TABLE delivery_listing (
    webhook INTEGER NOT NULL,
    label INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (webhook, label, seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO delivery_listing (webhook, label, seq) SELECT webhook, label, seq FROM deliveries ORDER BY 1, 2, 3;
  DROP INDEX deliveries_by_label;

  CREATE TABLE delivery_listing_end (seq INTEGER NOT NULL) STRICT;
  INSERT INTO delivery_listing_end (seq) SELECT coalesce(max(seq), 0) FROM deliveries;
  `,
  // The attempts of runs. A row is written when an attempt starts or is requested, not with its delivery. Of earlier runs
  // only the last attempt is known, and where its output begins only if it is the first.
  `
  CREATE TABLE run_attempts (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    error TEXT,
    exit_code INTEGER,
    requested_at INTEGER,
    requested_by TEXT,
    started_at INTEGER,
    finished_at INTEGER,
    executor TEXT,
    worker TEXT,
    log_offset INTEGER,
    PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO run_attempts (run, number, state, error, exit_code, started_at, finished_at, executor, log_offset)
    SELECT seq, attempt, state, error, exit_code, started_at, finished_at, executor, iif(attempt = 1, 0, NULL)
    FROM runs WHERE started_at IS NOT NULL OR attempt > 1 ORDER BY seq;
  `,
  // Who replaced a version of a secret and when, to explain rejections. What the audit log knows about the versions so far
  // is carried over: the entry of a change is written within seconds after its version.
  `
  ALTER TABLE secret_versions ADD COLUMN created_by TEXT;
  ALTER TABLE secret_versions ADD COLUMN replaced_at INTEGER;
  ALTER TABLE secret_versions ADD COLUMN replaced_by TEXT;
  ALTER TABLE secret_versions ADD COLUMN unused_since INTEGER;
  UPDATE secret_versions SET created_by = (
    SELECT actor_name FROM audit_objects JOIN audit_log ON audit_log.seq = audit_objects.entry
    WHERE audit_objects.object = 'secrets/' || secret_versions.name AND method = 'PUT' AND status < 300
      AND at BETWEEN created_at AND created_at + 10000
    ORDER BY at LIMIT 1
  );
  UPDATE secret_versions SET (replaced_at, replaced_by) = (
    SELECT later.created_at, later.created_by FROM secret_versions AS later
    WHERE later.name = secret_versions.name AND later.version > secret_versions.version
    ORDER BY later.version LIMIT 1
  );
  `,
  // The version of the secret before the pinned one, for `rotationOverlap`. When earlier applies pinned theirs is not known.
  `
  ALTER TABLE webhooks ADD COLUMN previous_secret_version INTEGER;
  ALTER TABLE webhooks ADD COLUMN secret_pinned_at INTEGER;
  ALTER TABLE webhooks ADD COLUMN rotation_overlap TEXT NOT NULL DEFAULT '0s';
  `,
  `
  CREATE TABLE commits (
    factory TEXT NOT NULL,
    revision TEXT NOT NULL,
    subject TEXT NOT NULL,
    author TEXT NOT NULL,
    committed_at INTEGER NOT NULL,
    url TEXT,
    PRIMARY KEY (factory, revision)
  ) STRICT, WITHOUT ROWID;
  `,
  // The row of an accepted delivery is the claim of its identity, so that a delivery needs one row less. `identities` keeps
  // the claims of deliveries that left the log.
  `
  ALTER TABLE deliveries ADD COLUMN identity_key TEXT;
  UPDATE deliveries SET identity_key = claims.key
    FROM (
      SELECT identities.seq, identities.key, identities.delivery, identities.source
      FROM identities JOIN deliveries ON deliveries.id = identities.delivery
      WHERE identities.key <> deliveries.identity
    ) AS claims
    WHERE deliveries.id = claims.delivery AND deliveries.identity_source = claims.source;
  DELETE FROM identities WHERE EXISTS (
    SELECT 1 FROM deliveries WHERE id = identities.delivery AND identity_source = identities.source
      AND coalesce(identity_key, identity) = identities.key
  );
  `,
  // The name of the event, which earlier deliveries do not have.
  `ALTER TABLE deliveries ADD COLUMN event TEXT;`,
  // The automations whose runs need secrets, which are few.
  `
  CREATE INDEX automation_versions_with_secrets ON automation_versions (factory, name, version)
    WHERE json_extract(overrides, '$.secrets') IS NOT NULL;
  `,
  // Requests without a row in the log.
  `
  CREATE TABLE unlogged_counts (
    webhook INTEGER NOT NULL,
    period INTEGER NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (webhook, period, reason)
  ) STRICT, WITHOUT ROWID;
  `,
  // Where the sender writes the name of the event, and request headers, which earlier deliveries do not have.
  `
  ALTER TABLE webhooks ADD COLUMN event TEXT;
  ALTER TABLE webhooks ADD COLUMN record_headers TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE deliveries ADD COLUMN headers TEXT;
  `,
  // The outcome of the requests of each webhook and of the runs of each automation, which outlives their rows. The rows of
  // a webhook change with `delivery_listing_end`; see `webhook-traffic.ts`. Earlier ends of runs are taken from the runs
  // that are still stored. The numbers are positions in DELIVERY_LABELS.
  `
  CREATE TABLE webhook_traffic (
    webhook INTEGER PRIMARY KEY,
    last_accepted_at INTEGER,
    authenticated_at INTEGER,
    failing_since INTEGER,
    failed_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    reason TEXT
  ) STRICT;
  CREATE INDEX webhook_traffic_failing ON webhook_traffic (failures) WHERE failures > 0;
  INSERT INTO webhook_traffic (webhook, last_accepted_at, authenticated_at)
    SELECT webhook, max(at) FILTER (WHERE label = 0), max(at) FILTER (WHERE label <> 2) FROM (
      SELECT webhook, label, received_at AS at FROM deliveries
      WHERE label IN (0, 1, 2, 3) AND replay_of IS NULL AND seq <= (SELECT seq FROM delivery_listing_end)
      UNION ALL SELECT webhook, 0, accepted_at FROM identities
    ) GROUP BY webhook;
  UPDATE webhook_traffic SET failing_since = failed.since, failed_at = failed.last, failures = failed.count
    FROM (
      SELECT deliveries.webhook, min(received_at) AS since, max(received_at) AS last, sum(count) AS count
      FROM deliveries JOIN webhook_traffic ON webhook_traffic.webhook = deliveries.webhook
      WHERE label = 2 AND seq <= (SELECT seq FROM delivery_listing_end) AND received_at > coalesce(authenticated_at, 0)
      GROUP BY deliveries.webhook
    ) AS failed WHERE failed.webhook = webhook_traffic.webhook;
  UPDATE webhook_traffic SET reason = (
    SELECT deliveries.reason FROM delivery_listing JOIN deliveries ON deliveries.seq = delivery_listing.seq
    WHERE delivery_listing.webhook = webhook_traffic.webhook AND delivery_listing.label = 2
      AND deliveries.reason <> 'summed_up'
    ORDER BY delivery_listing.seq DESC LIMIT 1
  ) WHERE failing_since IS NOT NULL;

  CREATE TABLE automation_results (
    factory TEXT NOT NULL,
    automation TEXT NOT NULL,
    last_run TEXT NOT NULL,
    last_state TEXT NOT NULL,
    last_finished_at INTEGER NOT NULL,
    recent TEXT NOT NULL,
    failures INTEGER NOT NULL,
    failing_since INTEGER,
    PRIMARY KEY (factory, automation),
    FOREIGN KEY (factory, automation) REFERENCES automations (factory, name) ON DELETE CASCADE ON UPDATE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX automation_results_failures ON automation_results (factory, failures DESC, automation) WHERE failures > 0;
  WITH ended AS (
    SELECT runs.factory, runs.automation, runs.id, runs.state, runs.finished_at,
      row_number() OVER (PARTITION BY runs.factory, runs.automation ORDER BY runs.finished_at DESC, seq DESC) AS place,
      row_number() OVER (
        PARTITION BY runs.factory, runs.automation, runs.state = 'cancelled' ORDER BY runs.finished_at DESC, seq DESC
      ) AS result_place,
      max(iif(runs.state = 'succeeded', runs.finished_at, 0)) OVER (PARTITION BY runs.factory, runs.automation)
        AS succeeded_at
    FROM runs JOIN automations ON automations.factory = runs.factory AND automations.name = runs.automation
    WHERE runs.state IN ('succeeded', 'failed', 'cancelled') AND runs.finished_at IS NOT NULL
  ),
  results AS (
    SELECT factory, automation,
      max(iif(place = 1, id, NULL)) AS id, max(iif(place = 1, state, NULL)) AS state, max(finished_at) AS finished_at,
      coalesce(group_concat(iif(state = 'failed', 'f', 's'), '' ORDER BY result_place)
        FILTER (WHERE state <> 'cancelled' AND result_place <= 20), '') AS recent,
      min(finished_at) FILTER (WHERE state = 'failed' AND finished_at > succeeded_at) AS failing_since
    FROM ended GROUP BY factory, automation
  )
  INSERT INTO automation_results
    (factory, automation, last_run, last_state, last_finished_at, recent, failures, failing_since)
    SELECT factory, automation, id, state, finished_at, recent, length(replace(recent, 's', '')), failing_since
    FROM results;
  `,
  // A filter has parts for the payload and for headers.
  `
  UPDATE listener_history SET filters = (
    SELECT json_group_array(CASE value WHEN '{}' THEN json(value) ELSE json_object('payload', json(value)) END)
    FROM json_each(filters)
  );
  `,
  // Factories that were forgotten, with their webhooks: their names can be used again. And what forgetting or renaming a
  // factory left to do in the data directory.
  `
  ALTER TABLE factories ADD COLUMN forgotten_at INTEGER;
  ALTER TABLE webhooks ADD COLUMN forgotten_at INTEGER;
  CREATE TABLE folder_changes (
    factory TEXT PRIMARY KEY,
    moved_to TEXT
  ) STRICT;
  `,
  // The reconciliations of a commit.
  `CREATE INDEX reconciliations_by_revision ON reconciliations (factory, revision);`,
  // One line about each delivery, which earlier ones do not have.
  `ALTER TABLE deliveries ADD COLUMN summary TEXT;`,
  // The number of ended runs of each automation, for metrics. Runs that ended before are not counted.
  `
  ALTER TABLE automation_results ADD COLUMN succeeded_total INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE automation_results ADD COLUMN failed_total INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE automation_results ADD COLUMN cancelled_total INTEGER NOT NULL DEFAULT 0;
  `,
  // The delivery IDs of requests over the delivery rate, by which the row that stands for them is found.
  `
  CREATE TABLE limited_delivery_ids (
    delivery INTEGER NOT NULL,
    identity TEXT NOT NULL,
    PRIMARY KEY (delivery, identity)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX limited_delivery_ids_by_identity ON limited_delivery_ids (identity);
  `,
  // The factories that may use each secret, as a JSON list; NULL for all. A secret of an earlier version gets the factories
  // that use it. One that nothing uses gets the only factory, or else no factory.
  `
  ALTER TABLE secret_names ADD COLUMN webhook_factories TEXT DEFAULT '[]';
  ALTER TABLE secret_names ADD COLUMN run_factories TEXT DEFAULT '[]';
  UPDATE secret_names SET webhook_factories = (
    SELECT json_group_array(factory) FROM (
      SELECT DISTINCT factory FROM webhooks
      WHERE deleted_at IS NULL AND secret_names.name IN (secret_name, verify_token_secret_name) ORDER BY factory
    )
  ), run_factories = (
    SELECT json_group_array(factory) FROM (
      SELECT DISTINCT automations.factory
      FROM automation_versions AS versions JOIN automations ON automations.version = versions.version
        AND automations.factory = versions.factory AND automations.name = versions.name,
        json_each(versions.overrides, '$.secrets') AS listed
      WHERE json_type(versions.overrides, '$.secrets') = 'array' AND listed.value = secret_names.name
      ORDER BY automations.factory
    )
  );
  UPDATE secret_names SET webhook_factories = only_factory.list, run_factories = only_factory.list
    FROM (
      SELECT json_group_array(name) AS list FROM factories WHERE forgotten_at IS NULL HAVING count(*) = 1
    ) AS only_factory
    WHERE webhook_factories = '[]' AND run_factories = '[]';
  `,
  // When a token expires. Earlier tokens never do.
  `ALTER TABLE tokens ADD COLUMN expires_at INTEGER;`,
  // The trace of the delivery that started a run, which earlier runs do not have.
  `ALTER TABLE runs ADD COLUMN trace_context TEXT;`,
  // How runs start again after a failure, as the automation declares it; NULL for never. What a queued run waits for, apart
  // from a free slot, and until when. A claim reads only runs that wait for nothing.
  `
  ALTER TABLE automation_versions ADD COLUMN retry TEXT;
  ALTER TABLE runs ADD COLUMN gate TEXT;
  ALTER TABLE runs ADD COLUMN not_before INTEGER;
  CREATE INDEX runs_claimable ON runs (factory, seq) WHERE state = 'queued' AND gate IS NULL;
  CREATE INDEX runs_gated ON runs (factory, gate, not_before) WHERE gate IS NOT NULL;
  `,
  // Where the payload has the delivery ID of its sender.
  `ALTER TABLE webhooks ADD COLUMN delivery_id_path TEXT;`,
  // Whether a webhook recognizes repeated deliveries. Accepted deliveries that claim no identity have an empty key, and are
  // found by their delivery ID.
  `
  ALTER TABLE webhooks ADD COLUMN deduplicate INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX deliveries_without_claim ON deliveries (webhook, identity, seq) WHERE identity_key = '';
  `,
  // The number of runs with the same key that may run, as the automation declares it; NULL for no limit. The key of each run, and the
  // run that replaced it.
  `
  ALTER TABLE automation_versions ADD COLUMN concurrency TEXT;
  ALTER TABLE runs ADD COLUMN concurrency_key TEXT;
  ALTER TABLE runs ADD COLUMN superseded_by TEXT;
  CREATE INDEX runs_by_key ON runs (factory, automation, concurrency_key, state, seq) WHERE concurrency_key IS NOT NULL;
  `,
  // What senders post. The form that a payload is the JSON of; NULL if JSON was received.
  `
  ALTER TABLE webhooks ADD COLUMN body_format TEXT NOT NULL DEFAULT 'json';
  ALTER TABLE delivery_contents ADD COLUMN form BLOB;
  `,
  // Replays of stored deliveries, and how far each is.
  `
  CREATE TABLE replays (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    factory TEXT NOT NULL,
    state TEXT NOT NULL,
    delivery TEXT,
    filter TEXT NOT NULL,
    automation TEXT,
    as_of TEXT NOT NULL,
    rate INTEGER NOT NULL,
    requested_by TEXT NOT NULL,
    client_address TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    position INTEGER NOT NULL,
    last_delivery INTEGER NOT NULL,
    total INTEGER NOT NULL,
    examined INTEGER NOT NULL,
    replayed INTEGER NOT NULL,
    matched INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    skipped TEXT NOT NULL,
    error TEXT
  ) STRICT;
  CREATE INDEX replays_by_factory ON replays (factory, seq);
  CREATE INDEX replays_open ON replays (seq) WHERE state IN ('pending', 'running');
  `,
  // The files in agents/, runners/ and skills/ of the revisions that runs started with: which set of files a revision has,
  // the files of each set, and their contents once for each factory.
  `
  CREATE TABLE agent_file_revisions (
    factory TEXT NOT NULL,
    revision TEXT NOT NULL,
    file_set INTEGER NOT NULL,
    PRIMARY KEY (factory, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_file_revisions_by_set ON agent_file_revisions (file_set);
  CREATE TABLE agent_file_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    factory TEXT NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE INDEX agent_file_sets_by_digest ON agent_file_sets (factory, digest);
  CREATE TABLE agent_files (
    file_set INTEGER NOT NULL,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (file_set, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_files_by_digest ON agent_files (digest);
  CREATE TABLE agent_file_contents (
    factory TEXT NOT NULL,
    digest TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (factory, digest)
  ) STRICT;
  `,
  // Attempts that a receiver has accepted and reports about, with the hashes of their tokens.
  `
  ALTER TABLE run_attempts ADD COLUMN held_until INTEGER;
  ALTER TABLE run_attempts ADD COLUMN progress TEXT;
  CREATE TABLE run_tokens (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX run_tokens_of_attempt ON run_tokens (run, attempt);
  `,
  // Runs with the same key are counted without those that wait for the end of another one. A claim reads no run that waits
  // for more than a slot, although another index has the state too.
  `
  DROP INDEX runs_claimable;
  CREATE INDEX runs_claimable ON runs (factory, state, gate, seq) WHERE state = 'queued' AND gate IS NULL;
  DROP INDEX runs_by_key;
  CREATE INDEX runs_by_key ON runs (factory, automation, concurrency_key, state, gate, seq)
    WHERE concurrency_key IS NOT NULL;
  `,
  // How long a key is quiet before a run starts, and the number of attempts that may start in a period, as an automation declares
  // them. The starts that count for a budget: of an automation, or of the whole factory if `automation` is empty. The
  // automations with runs that wait for their budget. The factories (`automation` is empty) and automations whose runs do
  // not start, because somebody paused them. The runs that a run replaced.
  `
  ALTER TABLE automation_versions ADD COLUMN debounce TEXT;
  ALTER TABLE automation_versions ADD COLUMN budget TEXT;
  CREATE TABLE budget_starts (
    factory TEXT NOT NULL, automation TEXT NOT NULL, started_at INTEGER NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (factory, automation, started_at, run)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE budget_waits (
    factory TEXT NOT NULL, automation TEXT NOT NULL, opens_at INTEGER NOT NULL,
    PRIMARY KEY (factory, automation)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE pauses (
    factory TEXT NOT NULL, automation TEXT NOT NULL, paused_at INTEGER NOT NULL, paused_by TEXT NOT NULL, reason TEXT,
    PRIMARY KEY (factory, automation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_held_back ON runs (factory, gate, automation, seq) WHERE gate IN ('budget', 'paused');
  CREATE INDEX runs_by_successor ON runs (superseded_by) WHERE superseded_by IS NOT NULL;
  `,
  // How often a webhook expects a delivery. The alerts: one row for each, at most one that is not resolved for each rule and object.
  // What is to be sent about them: notifications that wait for their group, and messages.
  `
  ALTER TABLE webhooks ADD COLUMN expect_every TEXT;
  CREATE INDEX webhooks_expected ON webhooks (factory, name) WHERE expect_every IS NOT NULL;
  CREATE INDEX tokens_by_expiry ON tokens (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE alerts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rule TEXT NOT NULL,
    factory TEXT,
    object TEXT,
    object_id TEXT,
    state TEXT NOT NULL,
    summary TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    clear_since INTEGER,
    resolved_at INTEGER,
    count INTEGER NOT NULL,
    notified_at INTEGER NOT NULL,
    acknowledged_at INTEGER,
    acknowledged_by TEXT,
    note TEXT
  ) STRICT;
  CREATE UNIQUE INDEX alerts_active ON alerts (rule, coalesce(factory, ''), coalesce(object_id, object, '')) WHERE state <> 'resolved';
  CREATE INDEX alerts_by_factory ON alerts (factory, seq);
  CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE state = 'resolved';
  CREATE TABLE alert_notices (
    seq INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    alert TEXT NOT NULL,
    event TEXT NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX alert_notices_by_target ON alert_notices (target, due_at);
  CREATE TABLE alert_messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    items TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    problem TEXT
  ) STRICT;
  CREATE INDEX alert_messages_by_target ON alert_messages (target, seq);
  `,
  // What runs say about their work, as JSON, and the text of it that a search looks in, in lower case.
  `
  ALTER TABLE runs ADD COLUMN output TEXT;
  ALTER TABLE runs ADD COLUMN output_text TEXT;
  ALTER TABLE run_attempts ADD COLUMN output TEXT;
  `,
  // The labels that a worker needs for the runs of an automation, as a JSON list; NULL for none. Runs have them sorted, so that
  // those with the same labels are neighbors in the index.
  `
  ALTER TABLE automation_versions ADD COLUMN runs_on TEXT;
  ALTER TABLE runs ADD COLUMN runs_on TEXT;
  DROP INDEX runs_claimable;
  CREATE INDEX runs_claimable ON runs (factory, state, gate, runs_on, seq) WHERE state = 'queued' AND gate IS NULL;
  `,
  // The checkout that runs get, as the automation declares it; NULL for none.
  `ALTER TABLE automation_versions ADD COLUMN workspace TEXT;`,
  // The replay that a delivery is a part of.
  `ALTER TABLE deliveries ADD COLUMN replay TEXT;`,
  // For the metrics of budgets, which few automations declare.
  `CREATE INDEX automation_versions_with_budget ON automation_versions (factory, name) WHERE budget IS NOT NULL;`,
  // The reports about the attempts of a run are found by the run.
  `CREATE INDEX notices_by_revision ON notices (factory, revision);`,
  // The data directory whose daemon executes an attempt, if several daemons share the storage.
  `ALTER TABLE run_attempts ADD COLUMN machine TEXT;`,
  // The provider whose triggers a webhook serves, and what its filters need to know about accounts there. NULL and an empty list
  // for webhooks of earlier versions: the provider of their scheme.
  `
  ALTER TABLE webhooks ADD COLUMN serves TEXT;
  ALTER TABLE webhooks ADD COLUMN names TEXT;
  ALTER TABLE webhooks ADD COLUMN bot_username TEXT;
  ALTER TABLE webhooks ADD COLUMN ignore_actors TEXT NOT NULL DEFAULT '[]';
  `,
  // What a run is about, for the loop guard. A run that was cancelled before it started does not count. NULL if the delivery has no
  // subject, and for runs of earlier versions.
  `
  ALTER TABLE runs ADD COLUMN subject TEXT;
  CREATE INDEX runs_by_subject ON runs (factory, automation, subject, created_at)
    WHERE subject IS NOT NULL AND (state <> 'cancelled' OR started_at IS NOT NULL);
  CREATE TABLE loop_guards (
    factory TEXT NOT NULL, automation TEXT NOT NULL, subject TEXT NOT NULL, deliveries INTEGER NOT NULL, last_at INTEGER NOT NULL,
    PRIMARY KEY (factory, automation, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX loop_guards_by_time ON loop_guards (last_at);
  `,
  // How far each schedule of the live automations is. The schedule without a name has the empty one.
  `
  CREATE TABLE schedules (
    factory TEXT NOT NULL,
    automation TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    cron TEXT NOT NULL,
    timezone TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    passed_at INTEGER,
    fired_at INTEGER,
    delivery TEXT,
    missed INTEGER NOT NULL,
    missed_at INTEGER,
    PRIMARY KEY (factory, automation, name)
  ) STRICT, WITHOUT ROWID;
  `,
  // Earlier versions did not bind triggers of providers to webhooks. With no source, the next pass applies the same commit again.
  `
  UPDATE factories SET applied_source = NULL
    WHERE name IN (SELECT factory FROM automations WHERE triggers LIKE '%"declared":%');
  `,
  // The hash of the body as the second key of a delivery: NULL if it has one key. Deliveries of the last four days get it, because no
  // provider of these schemes retries for longer. Only sources outside of the body need it. A key that another row claims stays there.
  `
  ALTER TABLE deliveries ADD COLUMN body_key TEXT;
  CREATE TEMP TABLE body_keys (seq INTEGER PRIMARY KEY, webhook INTEGER NOT NULL, key TEXT NOT NULL);
  INSERT INTO body_keys (seq, webhook, key)
    SELECT min(seq), webhook, 'sha256:' || lower(hex(sha256(coalesce(form, body)))) AS key
    FROM deliveries JOIN delivery_contents ON delivery = deliveries.seq
    WHERE label = 0 AND replay_of IS NULL AND identity_source IN (0, 1, 2) AND coalesce(identity_key, identity) <> ''
      AND received_at > (unixepoch() - 345600) * 1000
      AND webhook IN (SELECT ref FROM webhooks WHERE signature_scheme IN (
        'azure_devops', 'box', 'calendly', 'circleci', 'discord', 'hubspot_v3', 'intercom', 'linear', 'paddle', 'sendgrid', 'slack',
        'square', 'stripe', 'teams', 'typeform', 'vercel', 'workos', 'zoom'))
    GROUP BY webhook, key;
  DELETE FROM body_keys WHERE (webhook, key) IN (
    SELECT webhook, coalesce(identity_key, identity) FROM deliveries WHERE label = 0 AND identity_source = 3 AND replay_of IS NULL
    UNION ALL SELECT webhook, key FROM identities WHERE source = 3);
  UPDATE deliveries SET body_key = (SELECT key FROM body_keys WHERE body_keys.seq = deliveries.seq)
    WHERE seq IN (SELECT seq FROM body_keys);
  DROP TABLE body_keys;
  `,
  // The field of a form whose JSON is the payload.
  `
  ALTER TABLE webhooks ADD COLUMN form_field TEXT;
  `,
  // An entry is stored in the transaction of its change, and completed when the request is answered.
  `
  DROP TRIGGER audit_log_only_grows;
  CREATE TRIGGER audit_log_only_grows BEFORE UPDATE ON audit_log WHEN OLD.status <> 0
  BEGIN
    SELECT RAISE(ABORT, 'complete entries of the audit log do not change');
  END;
  CREATE INDEX audit_log_unanswered ON audit_log (seq) WHERE status = 0;
  `,
  // Lists of changes omit reads, and the other way round.
  `
  CREATE INDEX audit_log_changes ON audit_log (seq) WHERE method <> 'READ';
  CREATE INDEX audit_log_changes_by_actor ON audit_log (actor, seq) WHERE method <> 'READ';
  CREATE INDEX audit_log_reads ON audit_log (seq) WHERE method = 'READ';
  `,
];
