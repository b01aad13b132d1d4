-- `workflow_id IS ?`, which also finds the instance's variables, does not use a partial index: every variable of the
-- service was read. In a unique index NULLs differ, so `variables_of_instance` is still needed.
DROP INDEX variables_of_workflow;
CREATE UNIQUE INDEX variables_of_workflow ON variables (workflow_id, name);
