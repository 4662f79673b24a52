-- AlterTable
ALTER TABLE "user" ADD COLUMN     "one_time_until" TIMESTAMPTZ(3);

-- Gateways end the streams of a session as soon as it is revoked, whoever revokes it.
CREATE FUNCTION "session_revoked"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trivium_changes', 'session revoked');
  RETURN NULL;
END $$;
CREATE TRIGGER "session_revoked" AFTER UPDATE OF "revoked_at" ON "session" FOR EACH STATEMENT EXECUTE FUNCTION "session_revoked"();
