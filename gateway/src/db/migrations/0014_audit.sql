-- The log of all accounts together, newest first: ids are made in the order of time.
create index audit_log_by_time on audit_log (audit_id);
