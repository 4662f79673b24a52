-- Counts by priority read one index alone: it also carries the rest of a feed's days, and whom it is confidential to. Not the status: no index has it, so
-- that a new status touches none. A page by priority reads another alone; without whom a feed is confidential to, PostgreSQL would prefer the wider one, and
-- sort a whole priority.
-- First the new ones, beside which lists can be read, and then the old ones go.

-- CreateIndex
CREATE INDEX "feed_listing_counts" ON "feed_listing"("list", "subject_id", "priority_sort", "end_sort", "feed_key", "start_sort", "confidential_dept");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_priority_sort_feed_key_confide_idx" ON "feed_listing"("list", "subject_id", "priority_sort", "feed_key", "confidential_dept");

-- DropIndex
DROP INDEX "feed_listing_list_subject_id_priority_sort_end_sort_feed_ke_idx";

-- DropIndex
DROP INDEX "feed_listing_list_subject_id_priority_sort_feed_key_idx";

-- The name that Prisma makes of its columns, which was that of the old one.
ALTER INDEX "feed_listing_counts" RENAME TO "feed_listing_list_subject_id_priority_sort_end_sort_feed_ke_idx";
