-- What runs read as `vars`: each value is stored once, however many runs read it.

-- The values of variables as they were when runs started.
CREATE TABLE variable_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The variable, while it exists, and its revision with this value.
  variable_id INTEGER REFERENCES variables (id) ON DELETE SET NULL,
  revision INTEGER NOT NULL,
  -- JSON.
  value TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX versions_of_variable ON variable_versions (variable_id, revision) WHERE variable_id IS NOT NULL;

-- The variables that a run reads. Runs of a workflow share a set until a variable changes.
CREATE TABLE variable_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 of its names and versions.
  digest TEXT NOT NULL UNIQUE,
  -- JSON list of the names of secret variables.
  secrets TEXT NOT NULL
) STRICT;

CREATE TABLE variable_set_values (
  set_id INTEGER NOT NULL REFERENCES variable_sets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version_id INTEGER NOT NULL REFERENCES variable_versions (id),
  PRIMARY KEY (set_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX sets_of_version ON variable_set_values (version_id);

-- Runs that copied the values share them from now on.
CREATE TEMP TABLE copied (
  value TEXT NOT NULL UNIQUE,
  version_id INTEGER NOT NULL
);
CREATE TEMP TABLE copied_sets (
  variables TEXT NOT NULL UNIQUE,
  set_id INTEGER NOT NULL
);

INSERT INTO copied (value, version_id)
  SELECT value, row_number() OVER (ORDER BY value) FROM (
    -- Not `entry.value`, in which true is 1.
    SELECT DISTINCT run_variables.variables -> entry.fullkey AS value
    FROM run_variables, json_each(run_variables.variables, '$.values') AS entry);
INSERT INTO variable_versions (id, variable_id, revision, value) SELECT version_id, NULL, 0, value FROM copied;

INSERT INTO copied_sets (variables, set_id)
  SELECT variables, row_number() OVER (ORDER BY variables) FROM (SELECT DISTINCT variables FROM run_variables);
INSERT INTO variable_sets (id, digest, secrets)
  SELECT set_id, 'copied ' || set_id, json_extract(variables, '$.secrets') FROM copied_sets;
INSERT INTO variable_set_values (set_id, name, version_id)
  SELECT copied_sets.set_id, entry.key, copied.version_id
  FROM copied_sets, json_each(copied_sets.variables, '$.values') AS entry
  JOIN copied ON copied.value = copied_sets.variables -> entry.fullkey;

CREATE TABLE sets_of_runs (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  set_id INTEGER NOT NULL REFERENCES variable_sets (id)
) STRICT, WITHOUT ROWID;

INSERT INTO sets_of_runs (execution_id, set_id)
  SELECT run_variables.execution_id, copied_sets.set_id
  FROM run_variables JOIN copied_sets ON copied_sets.variables = run_variables.variables;

DROP TABLE run_variables;
ALTER TABLE sets_of_runs RENAME TO run_variables;
CREATE INDEX runs_of_set ON run_variables (set_id);
DROP TABLE copied;
DROP TABLE copied_sets;
