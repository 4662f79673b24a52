-- The first release imported system filters with days of the year 0, which nothing reads: every use of one got 500. A day that no calendar has matches no
-- feed, as an empty list does.
-- safe: a domain has a few filters, and hardly any has such a day.
UPDATE system_filter SET criteria = criteria || (
  SELECT jsonb_object_agg(name, (SELECT coalesce(jsonb_agg(day), '[]') FROM jsonb_array_elements_text(days) AS day WHERE day NOT LIKE '0000-%'))
  FROM jsonb_each(criteria) AS part (name, days) WHERE name IN ('selectedDates', 'weekDates'))
WHERE jsonb_path_exists(criteria, '$.selectedDates[*] ? (@ starts with "0000-")') OR jsonb_path_exists(criteria, '$.weekDates[*] ? (@ starts with "0000-")');
