-- A transaction that writes many entries, such as an import, changes the version of the configuration once.

CREATE OR REPLACE FUNCTION "config_entry_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  this_transaction text := pg_current_xact_id()::text;
BEGIN
  IF current_setting('trivium.config_changed_in', true) IS DISTINCT FROM this_transaction THEN
    UPDATE domain SET config_version = config_version + 1;
    PERFORM set_config('trivium.config_changed_in', this_transaction, true);
  END IF;
  RETURN NULL;
END $$;
