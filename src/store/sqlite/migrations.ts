/** Each brings the schema one version further, and is never changed once a tagged version has it. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    parent_id    TEXT,
    fork_point   TEXT,
    fork_seed_id TEXT,
    title        TEXT NOT NULL,
    titled       INTEGER NOT NULL,
    agent        TEXT NOT NULL,
    model        TEXT,
    directory    TEXT NOT NULL,
    workspace_id TEXT,
    kind         TEXT NOT NULL,
    labels       TEXT NOT NULL,
    archived     INTEGER NOT NULL DEFAULT 0,
    deleted      INTEGER NOT NULL DEFAULT 0,
    native_id    TEXT,
    created      INTEGER NOT NULL,
    updated      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX sessions_by_fork_point ON sessions (fork_point) WHERE fork_point IS NOT NULL;

  -- The body comes last, so that reading the other columns does not touch its pages.
  CREATE TABLE messages (
    id                 TEXT PRIMARY KEY,
    session_id         TEXT NOT NULL,
    seq                INTEGER NOT NULL,
    role               TEXT NOT NULL,
    status             TEXT NOT NULL,
    native_id          TEXT,
    snapshot           TEXT,
    input_tokens       INTEGER,
    output_tokens      INTEGER,
    cache_read_tokens  INTEGER,
    cache_write_tokens INTEGER,
    cost_usd           REAL,
    created            INTEGER NOT NULL,
    parts              TEXT NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_native_id ON messages (session_id, native_id) WHERE native_id IS NOT NULL;
  CREATE INDEX messages_with_usage
    ON messages (session_id, seq, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
    WHERE input_tokens IS NOT NULL;

  CREATE TABLE turns (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    prompt_id  TEXT NOT NULL,
    outcome    TEXT,
    reason     TEXT,
    started    INTEGER NOT NULL,
    ended      INTEGER,
    draft      TEXT
  ) STRICT;
  CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE outcome IS NULL;
  CREATE INDEX turns_by_session ON turns (session_id);

  CREATE TABLE owners (
    session_id    TEXT PRIMARY KEY,
    epoch         INTEGER NOT NULL,
    pid           INTEGER,
    started       TEXT,
    machine       TEXT,
    lease_until   INTEGER NOT NULL,
    agent_pid     INTEGER,
    agent_started TEXT
  ) STRICT;

  CREATE TABLE requests (
    id          TEXT PRIMARY KEY,
    session_id  TEXT NOT NULL,
    kind        TEXT NOT NULL,
    turn_id     TEXT,
    pid         INTEGER NOT NULL,
    started     TEXT NOT NULL,
    machine     TEXT NOT NULL,
    created     INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX requests_by_session ON requests (session_id);

  CREATE TABLE permissions (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    turn_id    TEXT NOT NULL,
    tool       TEXT NOT NULL,
    detail     TEXT NOT NULL,
    state      TEXT NOT NULL,
    scope      TEXT NOT NULL,
    asked      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX permissions_asked ON permissions (id) WHERE state = 'asked';
  CREATE INDEX permissions_granted ON permissions (session_id, tool) WHERE scope = 'session';

  CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    session_id TEXT NOT NULL,
    subject_id TEXT
  ) STRICT;
  `,
  `
  CREATE TABLE snapshots (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    root       TEXT NOT NULL,
    tree       TEXT NOT NULL,
    head       TEXT,
    branch     TEXT,
    missing    TEXT NOT NULL,
    beside     TEXT NOT NULL,
    created    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX snapshots_by_root ON snapshots (root, id);
  CREATE INDEX messages_with_snapshot ON messages (session_id, seq, snapshot) WHERE snapshot IS NOT NULL;
  CREATE INDEX turns_by_end ON turns (ended);
  `,
  `
  ALTER TABLE snapshots ADD COLUMN saved INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE snapshots ADD COLUMN freed INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE workspaces (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    repository TEXT NOT NULL,
    origin     TEXT NOT NULL,
    path       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    state      TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    started    TEXT NOT NULL,
    machine    TEXT NOT NULL,
    created    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX workspaces_under_way ON workspaces (state) WHERE state IN ('making', 'removing');

  CREATE TABLE restores (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    root       TEXT NOT NULL,
    before_id  TEXT NOT NULL,
    target_id  TEXT NOT NULL,
    paths      TEXT NOT NULL,
    undoes     TEXT,
    state      TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    started    TEXT NOT NULL,
    machine    TEXT NOT NULL,
    created    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX restores_unfinished ON restores (state) WHERE state IN ('running', 'half');
  CREATE INDEX restores_by_root ON restores (root, id);
  `,
  // Sums: of a session's own messages up to each of them, of all its own, and of what it stands on.
  `
  ALTER TABLE messages ADD COLUMN spent_input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN spent_output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN spent_cache_read_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN spent_cache_write_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN spent_cost_usd REAL NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN spent_input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN spent_output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN spent_cache_read_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN spent_cache_write_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN spent_cost_usd REAL NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN inherited_input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN inherited_output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN inherited_cache_read_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN inherited_cache_write_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN inherited_cost_usd REAL NOT NULL DEFAULT 0;

  UPDATE messages SET
    spent_input_tokens = sums.input_tokens,
    spent_output_tokens = sums.output_tokens,
    spent_cache_read_tokens = sums.cache_read_tokens,
    spent_cache_write_tokens = sums.cache_write_tokens,
    spent_cost_usd = sums.cost_usd
   FROM (
    SELECT id,
        sum(coalesce(input_tokens, 0)) OVER up_to_here AS input_tokens,
        sum(coalesce(output_tokens, 0)) OVER up_to_here AS output_tokens,
        sum(coalesce(cache_read_tokens, 0)) OVER up_to_here AS cache_read_tokens,
        sum(coalesce(cache_write_tokens, 0)) OVER up_to_here AS cache_write_tokens,
        sum(coalesce(cost_usd, 0)) OVER up_to_here AS cost_usd
      FROM messages WINDOW up_to_here AS (PARTITION BY session_id ORDER BY seq)) AS sums
   WHERE sums.id = messages.id;
  UPDATE sessions SET
    spent_input_tokens = last.spent_input_tokens,
    spent_output_tokens = last.spent_output_tokens,
    spent_cache_read_tokens = last.spent_cache_read_tokens,
    spent_cache_write_tokens = last.spent_cache_write_tokens,
    spent_cost_usd = last.spent_cost_usd
   FROM messages AS last
   WHERE last.session_id = sessions.id
     AND last.seq = (SELECT max(m.seq) FROM messages m WHERE m.session_id = sessions.id);
  UPDATE sessions SET
    inherited_input_tokens = sums.input_tokens,
    inherited_output_tokens = sums.output_tokens,
    inherited_cache_read_tokens = sums.cache_read_tokens,
    inherited_cache_write_tokens = sums.cache_write_tokens,
    inherited_cost_usd = sums.cost_usd
   FROM (
    WITH RECURSIVE up (id, at) AS (
      SELECT id, fork_point FROM sessions
      UNION ALL
      SELECT up.id, s.fork_point FROM up JOIN messages m ON m.id = up.at JOIN sessions s ON s.id = m.session_id)
    SELECT up.id,
        sum(m.spent_input_tokens) AS input_tokens,
        sum(m.spent_output_tokens) AS output_tokens,
        sum(m.spent_cache_read_tokens) AS cache_read_tokens,
        sum(m.spent_cache_write_tokens) AS cache_write_tokens,
        sum(m.spent_cost_usd) AS cost_usd
      FROM up JOIN messages m ON m.id = up.at GROUP BY up.id) AS sums
   WHERE sums.id = sessions.id;
  `,
  // The text of a seed is in none of these.
  `
  CREATE TABLE fork_seeds (
    id                  TEXT PRIMARY KEY,
    session_id          TEXT NOT NULL,
    agent               TEXT NOT NULL,
    parent_id           TEXT,
    parent_workspace_id TEXT,
    why                 TEXT NOT NULL,
    sha256              TEXT NOT NULL,
    tokens              INTEGER NOT NULL,
    context_window      INTEGER,
    left_out            TEXT,
    state               TEXT NOT NULL,
    hidden              INTEGER NOT NULL,
    usage               TEXT,
    created             INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX fork_seeds_by_session ON fork_seeds (session_id);
  ALTER TABLE sessions ADD COLUMN native_version TEXT;
  CREATE INDEX sessions_by_native_id ON sessions (native_id) WHERE native_id IS NOT NULL;
  `,
  `
  CREATE TABLE channels (
    id        TEXT PRIMARY KEY,
    front_end TEXT NOT NULL,
    key       TEXT NOT NULL,
    main_id   TEXT NOT NULL,
    created   INTEGER NOT NULL,
    UNIQUE (front_end, key)
  ) STRICT;

  CREATE TABLE forks (
    session_id    TEXT PRIMARY KEY,
    channel_id    TEXT NOT NULL,
    kind          TEXT NOT NULL,
    origin        TEXT NOT NULL,
    topic         TEXT,
    prompt        TEXT,
    prompt_id     TEXT,
    state         TEXT NOT NULL,
    outcome       TEXT,
    reason        TEXT,
    wish          TEXT,
    wish_text     TEXT,
    wish_turn     TEXT,
    idle_timeout  INTEGER NOT NULL,
    last_activity INTEGER NOT NULL,
    prompted_at   INTEGER,
    timeout       INTEGER,
    allowed_tools TEXT,
    schedule_id   TEXT,
    reported      INTEGER NOT NULL DEFAULT 0,
    pinged        INTEGER NOT NULL DEFAULT 0,
    pid           INTEGER,
    pid_started   TEXT,
    machine       TEXT,
    began         INTEGER,
    started       INTEGER NOT NULL,
    ended         INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX forks_interactive ON forks (channel_id) WHERE kind = 'interactive' AND state = 'open';
  CREATE INDEX forks_open ON forks (state) WHERE state = 'open';
  CREATE INDEX forks_by_schedule ON forks (schedule_id) WHERE schedule_id IS NOT NULL;

  CREATE TABLE updates (
    id         TEXT PRIMARY KEY,
    channel_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    text       TEXT NOT NULL,
    after_seq  INTEGER NOT NULL,
    message_id TEXT,
    settled    INTEGER NOT NULL DEFAULT 0,
    created    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX updates_waiting ON updates (channel_id, id) WHERE message_id IS NULL;
  CREATE TABLE updates_seen (
    update_id  TEXT NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (update_id, message_id)
  ) STRICT;
  CREATE INDEX updates_by_message ON updates (message_id) WHERE message_id IS NOT NULL;

  CREATE TABLE links (
    channel_id  TEXT NOT NULL,
    external_id TEXT NOT NULL,
    session_id  TEXT,
    created     INTEGER NOT NULL,
    PRIMARY KEY (channel_id, external_id)
  ) STRICT;
  CREATE TABLE inquiries (
    id         TEXT PRIMARY KEY,
    channel_id TEXT NOT NULL,
    session_id TEXT,
    label      TEXT NOT NULL,
    prompt     TEXT,
    used       INTEGER,
    created    INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE schedules (
    id              TEXT PRIMARY KEY,
    channel_id      TEXT NOT NULL,
    kind            TEXT NOT NULL,
    cron            TEXT,
    zone            TEXT,
    prompt          TEXT NOT NULL,
    agent           TEXT,
    model           TEXT,
    allowed_tools   TEXT,
    mode            TEXT NOT NULL,
    state           TEXT NOT NULL,
    due             INTEGER,
    last_session_id TEXT,
    created         INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX schedules_due ON schedules (due) WHERE state = 'active';
  CREATE TABLE schedule_runs (
    schedule_id TEXT NOT NULL,
    due         INTEGER NOT NULL,
    how         TEXT NOT NULL,
    reason      TEXT,
    session_id  TEXT,
    at          INTEGER NOT NULL,
    PRIMARY KEY (schedule_id, due)
  ) STRICT;

  CREATE TABLE inbox (
    id         TEXT PRIMARY KEY,
    channel_id TEXT NOT NULL,
    what       TEXT NOT NULL,
    urgent     INTEGER NOT NULL,
    for_main   INTEGER NOT NULL,
    state      TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    started    TEXT NOT NULL,
    machine    TEXT NOT NULL,
    fork_id    TEXT,
    message_id TEXT,
    reason     TEXT,
    created    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX inbox_open ON inbox (channel_id, id) WHERE state IN ('waiting', 'running');
  CREATE UNIQUE INDEX inbox_running ON inbox (channel_id) WHERE state = 'running';

  CREATE TABLE outbox (
    id          TEXT PRIMARY KEY,
    channel_id  TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    what        TEXT NOT NULL,
    state       TEXT NOT NULL,
    pid         INTEGER,
    started     TEXT,
    machine     TEXT,
    external_id TEXT,
    created     INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outbox_open ON outbox (channel_id, id) WHERE state <> 'sent';
  CREATE INDEX outbox_by_session ON outbox (session_id);

  CREATE INDEX turns_by_prompt ON turns (prompt_id);
  CREATE INDEX inbox_by_message ON inbox (message_id) WHERE message_id IS NOT NULL;

  -- Processes with something in hand that others would take on if they stood still.
  CREATE TABLE processes (
    pid     INTEGER NOT NULL,
    started TEXT NOT NULL,
    machine TEXT NOT NULL,
    beat    INTEGER NOT NULL,
    PRIMARY KEY (pid, started, machine)
  ) STRICT;

  -- What only one process does at a time, and another when that one is gone.
  CREATE TABLE duties (
    name        TEXT PRIMARY KEY,
    pid         INTEGER NOT NULL,
    started     TEXT NOT NULL,
    machine     TEXT NOT NULL,
    lease_until INTEGER NOT NULL
  ) STRICT;
  `,

  // Chats whose messages have ids: what has come in, and which messages show a turn.
  `
  ALTER TABLE channels ADD COLUMN last_heard TEXT;
  ALTER TABLE inbox ADD COLUMN external_id TEXT;
  CREATE UNIQUE INDEX inbox_heard ON inbox (channel_id, external_id) WHERE external_id IS NOT NULL;

  CREATE TABLE shown (
    channel_id  TEXT NOT NULL,
    external_id TEXT NOT NULL,
    turn_id     TEXT NOT NULL,
    place       INTEGER NOT NULL,
    created     INTEGER NOT NULL,
    PRIMARY KEY (channel_id, external_id)
  ) STRICT;
  CREATE INDEX shown_by_turn ON shown (turn_id, place);
  `,

  // Events of forks and of mains name their channel. Those from before do not: whoever would read them loads afresh.
  `
  DELETE FROM events;
  `,

  // What a question must say beside its detail: where a link leads, or that programs take commands from the file.
  `
  ALTER TABLE permissions ADD COLUMN caution TEXT;
  `,

  // Whether the agents of a session, and of a schedule's runs, run in a sandbox; null where that is left to the configuration.
  `
  ALTER TABLE sessions ADD COLUMN sandbox TEXT;
  ALTER TABLE schedules ADD COLUMN sandbox TEXT;
  `,

  // What an approval covers is stored with it. One for a session was for all that a tool does: it now counts for its call only.
  `
  ALTER TABLE permissions ADD COLUMN offers TEXT NOT NULL DEFAULT '[{"scope":"call","words":"once","rule":null}]';
  UPDATE permissions SET scope = 'call';
  DROP INDEX permissions_granted;
  CREATE INDEX permissions_granted ON permissions (session_id) WHERE scope <> 'call';
  `,

  // What runs of a schedule do about files.
  `
  ALTER TABLE schedules ADD COLUMN files TEXT;
  `,
]
