-- How long a feed of feed_listing takes: 0 for less than a day, 1 for less than two days, 2 for less than four … 11 for what takes longer than all (1,024 days);
-- null if it has no end. Feeds that run across an instant are found by it: those of one number have begun not long before.
CREATE FUNCTION "feed_span"(start_sort timestamptz, end_sort timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket(nullif(end_sort, '9999-12-31 23:59:59+00') - start_sort,
    '{24:00,48:00,96:00,192:00,384:00,768:00,1536:00,3072:00,6144:00,12288:00,24576:00}'::interval[]);
$$;
