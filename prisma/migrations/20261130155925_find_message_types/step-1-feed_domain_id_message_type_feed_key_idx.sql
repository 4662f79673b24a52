-- while serving
CREATE INDEX CONCURRENTLY "feed_domain_id_message_type_feed_key_idx" ON "feed"("domain_id", "message_type", "feed_key");
