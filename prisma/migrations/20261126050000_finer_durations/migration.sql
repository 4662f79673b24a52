-- How long a feed of feed_listing takes, as the number of bounds that it reaches: 0 for less than three hours, 1 for less than six … 25 for more than 732 days; null if it
-- has no end. A feed of one number that runs across an instant has begun less than its bound before it, so calendars find such feeds by an index. From a day on, bounds
-- are two hours behind whole days: most feeds take whole days, and the clocks may change meanwhile.
-- It replaces feed_span, whose numbers each had feeds up to twice as long as others: of a department whose longest feeds take ten days, a calendar passed all that began 16
-- to 10 days before it.
CREATE FUNCTION "feed_duration"(start_sort timestamptz, end_sort timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket(nullif(end_sort, '9999-12-31 23:59:59+00') - start_sort,
    '{3:00,6:00,12:00,26:00,50:00,74:00,98:00,122:00,146:00,170:00,194:00,242:00,290:00,338:00,410:00,506:00,674:00,746:00,962:00,1202:00,1538:00,2210:00,4418:00,8786:00,17570:00}'::interval[]);
$$;
