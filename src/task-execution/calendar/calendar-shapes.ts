import * as z from 'zod';
import { feedShape } from '../feeds/feed-shapes.ts';
import { calendarLayouts } from './calendar-filter.ts';

const text = z.string().nullable();
const day = z.string().regex(/^\d{8}$/);
const key = z.int().meta({ format: 'int64' });
const item = {
  project_id: key,
  project_title: z.string(),
  project_type: text,
  start_date: day.nullable(),
  end_date: day.nullable(),
};

const project = z
  .object({
    ...item,
    project_type_desc: text,
    icon: text,
    priority: z.int().nullable(),
    is_overdue: z.boolean(),
    is_completed: z.boolean(),
    is_confidential: z.boolean(),
    is_edited: z.boolean(),
    has_survey: z.boolean(),
    has_attachment: z.boolean(),
    assigned_role: text,
  })
  .meta({ id: 'CalendarProject', description: 'STORE_PROJECTS, STORE_SUGGESTED_DATE_PROJECTS.' });

const walk = z
  .object({ ...item, assigned_to: text })
  .meta({ id: 'CalendarWalk', description: 'STORE_WALK_CAL.' });

/** Present when a system filter was found, both inside and next to the data (D-35). */
const filtered = {
  layout: z.enum(calendarLayouts).optional(),
  calendarType: z.string().optional(),
  selectedDates: z.array(day).optional(),
};

/** The answer of both calendar paths: the data of each source. */
export const calendarShape = z
  .object({
    status: z.literal('OK'),
    calendar_data: z.union([
      z.object({ feed_details: z.array(feedShape), last_fetch_time: key, ...filtered }),
      z.object({ project_data: z.array(project), ...filtered }),
      z.object({ project_data: z.array(walk), ...filtered }),
    ]),
    ...filtered,
  })
  .meta({ id: 'Calendar' });

/** One walk, as an example for OpenAPI. */
export const calendarExample = {
  status: 'OK' as const,
  calendar_data: {
    project_data: [
      {
        project_id: 5855,
        project_title: 'Closing walk: the entrance',
        project_type: 'WALK',
        assigned_to: 'Mia Schulz',
        start_date: '20261118',
        end_date: '20261118',
      },
    ],
  },
};
