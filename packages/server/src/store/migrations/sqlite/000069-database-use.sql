-- Whether a service has the database open: 1 also after a crash, when its log is beside it.
CREATE TABLE database_use (
  is_open INTEGER NOT NULL
) STRICT;
INSERT INTO database_use (is_open) VALUES (0);
