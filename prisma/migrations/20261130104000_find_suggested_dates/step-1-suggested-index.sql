-- while serving
-- Calendars of suggested dates look each feed of a list up: few have such dates, and the others are told by this small index alone.
CREATE INDEX CONCURRENTLY "feed_suggested_idx" ON "feed" ("feed_key") WHERE "sugg_start_date" IS NOT NULL OR "sugg_end_date" IS NOT NULL;
