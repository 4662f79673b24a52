import * as z from 'zod';

const note = z.object({ notes_id: z.int().meta({ format: 'int64' }), note: z.string() });
const named = { id: z.int(), name: z.string() };
/** yyyyMMdd as a number. */
const day = z.int();

const project = z
  .object({
    project_id: z.int().meta({ format: 'int64' }),
    project_title: z.string(),
    project_type: z.string().nullable(),
    start_date: day,
    end_date: day,
    span: z.int().describe('Days from start to end, both counted.'),
    priority: z.int().nullable(),
    legend_id: z.int().nullable(),
  })
  .meta({ id: 'LeadershipProject' });

/** The reply of both leadership paths. The misspelt name is documented (D-81). */
export const leadershipShape = z
  .object({
    status: z.literal('OK'),
    leadership_data: z.object({
      leadership_calender_project_data: z.array(project),
      leadership_categories: z.array(z.object(named)),
      leadership_admin_legend_details: z.array(z.object({ ...named, color: z.string() })),
      notes: z.record(z.string(), z.array(note)).describe('By day, yyyyMMdd.'),
      monthly_notes: z.record(z.string(), z.array(note)).describe('By month, yyyyMM.'),
    }),
  })
  .meta({ id: 'LeadershipCalendar' });

/** A month, as an example for OpenAPI. */
export const leadershipExample: z.input<typeof leadershipShape> = {
  status: 'OK',
  leadership_data: {
    leadership_calender_project_data: [
      {
        project_id: 30,
        project_title: 'Window',
        project_type: 'PROMO',
        start_date: 20261105,
        end_date: 20261112,
        span: 8,
        priority: 2,
        legend_id: 1,
      },
    ],
    leadership_categories: [{ id: 1, name: 'Merchandising' }],
    leadership_admin_legend_details: [{ id: 1, name: 'Promotion', color: '#0a7d33' }],
    notes: { '20261120': [{ notes_id: 7, note: 'Inventory' }] },
    monthly_notes: {},
  },
};
