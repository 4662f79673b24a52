-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_priority_sort_end_sort_feed_ke_idx" ON "feed_listing"("list", "subject_id", "priority_sort", "end_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_profile_sort_end_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "profile_sort", "end_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_feed_type_sort_end_sort_feed_k_idx" ON "feed_listing"("list", "subject_id", "feed_type_sort", "end_sort", "feed_key");
