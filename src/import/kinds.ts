import { deptRecord } from '../accounts/organisation/dept-record.ts';
import { domainRecord } from '../accounts/organisation/domain-record.ts';
import { profileRecord } from '../accounts/organisation/profile-record.ts';
import { unitRecord } from '../accounts/organisation/unit-record.ts';
import { userRecord } from '../accounts/organisation/user-record.ts';
import type { RecordKind } from '../core/records/record-kind.ts';
import { datasetRecord } from '../dataset-management/datasets/dataset-record.ts';
import { annotationsRecord } from '../dataset-management/projects/annotations/annotations-record.ts';
import { projectRecord } from '../dataset-management/projects/project-record.ts';
import { workspaceRecord } from '../dataset-management/workspaces/workspace-record.ts';
import { configRecord } from '../task-execution/configuration/config-record.ts';
import { feedRecord } from '../task-execution/feeds/records/feed-record.ts';
import { filterRecord } from '../task-execution/feeds/records/filter-record.ts';
import {
  leadershipCategoryRecord,
  leadershipLegendRecord,
} from '../task-execution/leadership-calendar/records/legend-records.ts';
import {
  calendarNoteRecord,
  monthlyNoteRecord,
} from '../task-execution/leadership-calendar/records/note-records.ts';

/** Every kind of record that an import file may hold. */
export const recordKinds: readonly RecordKind[] = [
  domainRecord,
  unitRecord,
  deptRecord,
  profileRecord,
  userRecord,
  configRecord,
  filterRecord,
  feedRecord,
  leadershipCategoryRecord,
  leadershipLegendRecord,
  calendarNoteRecord,
  monthlyNoteRecord,
  workspaceRecord,
  datasetRecord,
  projectRecord,
  annotationsRecord,
];
