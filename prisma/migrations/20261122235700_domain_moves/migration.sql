-- AlterTable
ALTER TABLE "domain" ADD COLUMN     "arrival" TEXT,
ADD COLUMN     "arrived_at" TIMESTAMPTZ(3),
ADD COLUMN     "state" TEXT NOT NULL DEFAULT 'OPEN';

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "signing_seed" BYTEA;

-- What Prisma's schema can't say.

ALTER TABLE "domain" ADD CONSTRAINT "domain_state_check" CHECK ("state" IN ('OPEN', 'LOCKED', 'ARRIVING', 'LEAVING')) NOT VALID;

-- Feeds come from another database in any order: a move defers this to its commit.
-- safe: changes the catalogue alone, and who defers nothing notices nothing.
ALTER TABLE "feed" ALTER CONSTRAINT "feed_parent_feed_key_fkey" DEFERRABLE INITIALLY IMMEDIATE;

-- Every write leaves an entry: in its transaction, or before it is acknowledged. So this is where a domain that is locked refuses what began before it was. The lock
-- is held until the commit; who locks a domain takes it alone, after the state is committed, and then every write is either in his snapshot or refused. The statements
-- within take snapshots of their own, after the lock. A copy of a domain (trivium.copy) brings entries of old.
CREATE FUNCTION "domain_written"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(4711063, NEW."domain_id");
  IF EXISTS (SELECT FROM "domain" WHERE "id" = NEW."domain_id" AND "state" <> 'OPEN') THEN
    RAISE EXCEPTION 'the domain takes no writes now' USING ERRCODE = 'TR503';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "audit_log_domain_written" BEFORE INSERT ON "audit_log" FOR EACH ROW
  WHEN (NEW."domain_id" IS NOT NULL AND NEW."outcome" = 'DONE' AND current_setting('trivium.copy', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION "domain_written"();
