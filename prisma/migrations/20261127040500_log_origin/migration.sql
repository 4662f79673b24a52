-- Of which database the log is: a dump that is restored elsewhere brings the log along, but not the transactions that its positions speak of.
ALTER TABLE "change_log_state" ADD COLUMN "origin" TEXT;

-- Starts the log anew if it came from another database, or holds transactions that this server has not had yet. Tells whether it did. A standby that was
-- promoted is the same database.
CREATE OR REPLACE FUNCTION "change_log_check"() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  here text := (SELECT oid::text FROM pg_database WHERE datname = current_database());
  was text;
  ahead boolean;
BEGIN
  IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
    here := (SELECT system_identifier::text FROM pg_control_system()) || '/' || here;
  END IF;
  SELECT origin INTO was FROM change_log_state FOR UPDATE;
  SELECT coalesce(max(xid), 0) > pg_snapshot_xmax(pg_current_snapshot())::text::bigint OR coalesce(was <> here, false) INTO ahead FROM (
    SELECT max(c.xid) AS xid FROM domain d CROSS JOIN LATERAL (SELECT xid FROM change_log WHERE domain_id = d.id ORDER BY xid DESC LIMIT 1) c
    UNION ALL SELECT max(xid) FROM change_mark UNION ALL SELECT horizon_xid FROM change_log_state) known;
  IF ahead THEN
    DELETE FROM change_log;
    DELETE FROM change_mark;
    UPDATE change_log_state SET log_id = substr(md5(random()::text || clock_timestamp()::text), 1, 8), started_at = clock_timestamp(),
      horizon_xid = pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  END IF;
  IF was IS DISTINCT FROM here THEN UPDATE change_log_state SET origin = here; END IF;
  RETURN ahead;
END $$;
