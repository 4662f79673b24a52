-- Gateways remember sessions and what their viewers are made of (src/auth/session-memory.ts). Whatever changes either tells
-- them with its commit: `s` and a session, `u` and a user, or nothing for all.

CREATE FUNCTION "tell_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trivium_sessions', 's' || OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER "session_told" AFTER UPDATE ON "session" FOR EACH ROW
  WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.current_view <> NEW.current_view OR OLD.user_id <> NEW.user_id
    OR OLD.token_hash <> NEW.token_hash OR NEW.expires_at < OLD.expires_at OR NEW.absolute_expires_at < OLD.absolute_expires_at)
  EXECUTE FUNCTION "tell_of_session"();

CREATE FUNCTION "tell_of_user"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trivium_sessions', 'u' || OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER "user_told" AFTER UPDATE ON "user" FOR EACH ROW
  WHEN ((OLD.login, OLD.display_name, OLD.domain_id, OLD.unit_id, OLD.profile_id, OLD.time_zone_long, OLD.lang_code, OLD.disabled_at)
    IS DISTINCT FROM (NEW.login, NEW.display_name, NEW.domain_id, NEW.unit_id, NEW.profile_id, NEW.time_zone_long, NEW.lang_code, NEW.disabled_at))
  EXECUTE FUNCTION "tell_of_user"();

CREATE FUNCTION "tell_of_member"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('trivium_sessions', 'u' || OLD.user_id); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM pg_notify('trivium_sessions', 'u' || NEW.user_id); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "user_dept_told" AFTER INSERT OR UPDATE OR DELETE ON "user_dept" FOR EACH ROW EXECUTE FUNCTION "tell_of_member"();

CREATE FUNCTION "tell_of_all_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trivium_sessions', '');
  RETURN NULL;
END $$;

CREATE TRIGGER "session_removed" AFTER DELETE ON "session" FOR EACH STATEMENT EXECUTE FUNCTION "tell_of_all_sessions"();
CREATE TRIGGER "permission_grant_told" AFTER INSERT OR UPDATE OR DELETE ON "permission_grant" FOR EACH STATEMENT EXECUTE FUNCTION "tell_of_all_sessions"();
CREATE TRIGGER "domain_told" AFTER UPDATE ON "domain" FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION "tell_of_all_sessions"();
CREATE TRIGGER "unit_told" AFTER UPDATE ON "unit" FOR EACH ROW
  WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION "tell_of_all_sessions"();
