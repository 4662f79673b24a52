import { statement, statementFor, type TypedParams } from '../../../core/sql/statement.ts';
import {
  arrayOf,
  bytea,
  char,
  int4,
  int8,
  int8s,
  jsonb,
  nullable,
  oneOf,
  text,
  texts,
  timestamptz,
  uuid,
} from '../../../core/sql/types.ts';
import type { Place, Span, Subject } from './place.ts';

const STAMP_OF_IMAGE = `md5(concat_ws('|', i.name, i.path, i.width, i.height, i.mime_type, i.blob_id, i.key_number))::uuid`;
const STAMP_OF_WORK = `md5(concat_ws('|', r.version, r.state))::uuid`;

/** The dates alone, too: PostgreSQL does not see that two comparisons of rows are a range, and would read all. */
const withinSql = (
  [date, id]: [string, string],
  { after, until }: Span,
  params: TypedParams,
): string => {
  const at = ({ createdDate }: Place): string =>
    `${params.add(timestamptz, createdDate)}::timestamptz`;
  const place = ({ createdDate, imageId }: Place): string =>
    `(${at({ createdDate, imageId })}, ${params.add(uuid, imageId)}::uuid)`;
  return [
    after ? ` AND ${date} >= ${at(after)} AND (${date}, ${id}) > ${place(after)}` : '',
    until ? ` AND ${date} <= ${at(until)} AND (${date}, ${id}) <= ${place(until)}` : '',
  ].join('');
};

/** What is there to freeze in a span: images, or the work of a project on them. */
const presentSql = ({ datasetId, ofId }: Subject, span: Span, params: TypedParams): string => {
  const dataset = params.add(uuid, datasetId);
  return ofId === datasetId
    ? `SELECT i.id AS image_id, i.created_date, ${STAMP_OF_IMAGE} AS stamp, 0 AS annotations FROM image i
       WHERE i.dataset_id = ${dataset} AND i.deleted_at IS NULL${withinSql(['i.created_date', 'i.id'], span, params)}`
    : `SELECT r.image_id, r.created_date, ${STAMP_OF_WORK} AS stamp, i.annotation_count AS annotations FROM image_review r JOIN image i ON i.id = r.image_id AND i.deleted_at IS NULL
       WHERE r.project_id = ${params.add(uuid, ofId)} AND r.dataset_id = ${dataset} AND (r.version > 0 OR r.state <> 'NONE')${withinSql(['r.created_date', 'r.image_id'], span, params)}`;
};

interface Difference {
  subject: Subject;
  span: Span;
  /** Those that have something of the span. */
  chunks: readonly number[];
  limit: number;
}

const somewhere: Place = { imageId: 'a', createdDate: new Date(0) };
const someSpans: readonly Span[] = [
  { after: undefined, until: undefined },
  { after: somewhere, until: undefined },
  { after: undefined, until: somewhere },
  { after: somewhere, until: somewhere },
];
const someSubjects: readonly Subject[] = ['a', 'b'].map((ofId) => ({ datasetId: 'a', ofId }));

/**
 * The first images of a span of which something else is there than in some chunks, in one snapshot. Items are found by their
 * ids, and then looked at: PostgreSQL would take those of the span for few, and go over all chunks for each.
 */
export const differences = statementFor({
  text: ({ subject, span, chunks, limit }: Difference, params: TypedParams) =>
    `SELECT coalesce(p.image_id, f.image_id) AS image_id, coalesce(p.created_date, f.created_date) AS created_date, coalesce(p.annotations, -1) AS annotations
     FROM (${presentSql(subject, span, params)}) p FULL JOIN (SELECT * FROM (SELECT f.image_id, f.created_date, f.stamp
         FROM frozen_chunk k CROSS JOIN LATERAL unnest(k.items) e (id) JOIN frozen_item f ON f.id = e.id
         WHERE k.id = ANY (${params.add(int8s, chunks)}::bigint[]) OFFSET 0) f WHERE true${withinSql(['f.created_date', 'f.image_id'], span, params)}) f ON f.image_id = p.image_id
     WHERE p.stamp IS DISTINCT FROM f.stamp ORDER BY 2, 1 LIMIT ${params.add(int8, limit)}::bigint`,
  row: { imageId: uuid, createdDate: timestamptz, annotations: int4 },
  samples: someSubjects.flatMap((subject) =>
    someSpans.map((span) => ({ subject, span, chunks: [1], limit: 1 })),
  ),
});

/** The place of the image that is so many behind another place, deleted ones counted. */
export const placeBehind = statementFor({
  text: (
    { subject, after, count }: { subject: Subject; after: Place | undefined; count: number },
    params: TypedParams,
  ) => {
    const { datasetId, ofId } = subject;
    const span = { after, until: undefined };
    const dataset = params.add(uuid, datasetId);
    const sql =
      ofId === datasetId
        ? `SELECT id AS image_id, created_date FROM image WHERE dataset_id = ${dataset}${withinSql(['created_date', 'id'], span, params)} ORDER BY created_date, id`
        : `SELECT image_id, created_date FROM image_review WHERE project_id = ${params.add(uuid, ofId)} AND dataset_id = ${dataset}${withinSql(['created_date', 'image_id'], span, params)} ORDER BY created_date, image_id`;
    return `${sql} OFFSET ${params.add(int8, count - 1)}::bigint LIMIT 1`;
  },
  row: { imageId: uuid, createdDate: timestamptz },
  samples: someSubjects.flatMap((subject) =>
    someSpans.slice(0, 2).map(({ after }) => ({ subject, after, count: 1 })),
  ),
});

/** Live images, as they are frozen. */
export const imagesToFreeze = statement({
  text: `SELECT i.id AS image_id, i.created_date, ${STAMP_OF_IMAGE} AS stamp, i.name, i.path, i.width, i.height, i.mime_type, b.sha256, i.blob_id, t.sha256 AS thumb_hash, i.key_number, i.proof
    FROM image i JOIN blob b ON b.id = i.blob_id JOIN blob t ON t.id = i.thumb_blob_id WHERE i.id = ANY ($ids) AND i.deleted_at IS NULL`,
  params: { ids: arrayOf(uuid) },
  row: {
    imageId: uuid,
    createdDate: timestamptz,
    stamp: uuid,
    name: text,
    path: nullable(text),
    width: int4,
    height: int4,
    mimeType: nullable(text),
    sha256: char,
    blobId: uuid,
    thumbHash: char,
    keyNumber: int4,
    proof: nullable(char),
  },
});

/** The work on images in a project as it is frozen; annotations: [id, class, shape, geometry, attributes, COCO, milliseconds]. */
export const workToFreeze = statement({
  text: `SELECT r.image_id, r.created_date, ${STAMP_OF_WORK} AS stamp, r.state,
      coalesce((SELECT jsonb_agg(jsonb_build_array(a.id, a.class_id, a.shape, a.geometry, a.attributes, a.coco, round(extract(epoch FROM a.created_at) * 1000)) ORDER BY a.created_at, a.id)
        FROM annotation a WHERE a.image_id = r.image_id AND a.project_id = r.project_id), '[]') AS annotations
    FROM image_review r WHERE r.project_id = $projectId AND r.image_id = ANY ($ids)`,
  params: { projectId: uuid, ids: arrayOf(uuid) },
  row: {
    imageId: uuid,
    createdDate: timestamptz,
    stamp: uuid,
    state: oneOf('NONE', 'ANNOTATED', 'ACCEPTED', 'REJECTED'),
    annotations: jsonb,
  },
});

/** Stores items that are not there yet; says which is which by their hashes. */
export const freezeItems = statement({
  text: `INSERT INTO frozen_item (dataset_id, of_id, image_id, created_date, stamp, hash, content, blob_id, thumb_hash, key_number, proof, state, annotations, points)
    SELECT $datasetId, $ofId, r.image_id, r.created_date, r.stamp, decode(r.hash, 'hex'), r.content, r.blob_id, r.thumb_hash, coalesce(r.key_number, 1), r.proof, r.state, coalesce(r.annotations, 0), nullif(r.points, 'null')
    FROM jsonb_to_recordset($items::jsonb) r (image_id uuid, created_date timestamptz, stamp uuid, hash text, content text, blob_id uuid, thumb_hash text, key_number int, proof text, state text, annotations int, points jsonb) ORDER BY r.created_date, r.image_id
    ON CONFLICT (dataset_id, hash) DO UPDATE SET stamp = excluded.stamp RETURNING id, encode(hash, 'hex') AS hash`,
  params: { datasetId: uuid, ofId: uuid, items: jsonb },
  row: { id: int8, hash: text },
});

/** Stores a chunk. */
export const freezeChunk = statement({
  text: 'INSERT INTO frozen_chunk (dataset_id, items, last_date, last_image) VALUES ($datasetId, $items, $lastDate, $lastImage) RETURNING id',
  params: { datasetId: uuid, items: int8s, lastDate: timestamptz, lastImage: uuid },
  row: { id: int8 },
});

/** Chunks, and where each ends. */
export const chunkEnds = statement({
  text: 'SELECT id, last_date, last_image FROM frozen_chunk WHERE id = ANY ($ids) ORDER BY last_date, last_image',
  params: { ids: int8s },
  row: { id: int8, lastDate: timestamptz, lastImage: uuid },
});

const ITEMS = `frozen_chunk k CROSS JOIN LATERAL unnest(k.items) WITH ORDINALITY e (id, at) JOIN frozen_item f ON f.id = e.id WHERE k.id = ANY ($ids) ORDER BY k.last_date, k.last_image, e.at`;

/** The places of items of chunks. */
export const chunkPlaces = statement({
  text: `SELECT k.id AS chunk, f.id, f.image_id, f.created_date FROM ${ITEMS}`,
  params: { ids: int8s },
  row: { chunk: int8, id: int8, imageId: nullable(uuid), createdDate: timestamptz },
});

/** Their ids, hashes, numbers of annotations, and lengths of their contents in bytes. */
export const chunkHashes = statement({
  text: `SELECT f.id, f.hash, f.annotations, octet_length(f.content) AS length FROM ${ITEMS}`,
  params: { ids: int8s },
  row: { id: int8, hash: bytea, annotations: int4, length: int4 },
});

/** The most points that an annotation of each class has, of the classes in chunks that have any. */
export const frozenPoints = statement({
  text: `SELECT p.key AS id, max(p.value::int) AS points FROM frozen_chunk k CROSS JOIN LATERAL unnest(k.items) e (id) JOIN frozen_item f ON f.id = e.id AND f.points IS NOT NULL
    CROSS JOIN LATERAL jsonb_each_text(f.points) p WHERE k.id = ANY ($chunks) GROUP BY 1`,
  params: { chunks: int8s },
  row: { id: text, points: int4 },
});

interface FrozenExport {
  projectId: string;
  /** Chunks of a version. */
  imageChunks: readonly number[];
  workChunks: readonly number[];
  /** Images whose work is in one of these states; null for all. */
  states: readonly string[] | null;
  /** Or has annotations. */
  orAnnotated: boolean;
  /** Only what is assigned to this user. */
  assignee: number | undefined;
}

const itemsOf = (chunks: string): string =>
  `frozen_chunk k CROSS JOIN LATERAL unnest(k.items) e (id) JOIN frozen_item f ON f.id = e.id WHERE k.id = ANY (${chunks}::bigint[])`;

/** The images in an export of a version, with their items. */
export const frozenImages = statementFor({
  text: (args: FrozenExport, params: TypedParams) => {
    const { states, orAnnotated, assignee } = args;
    const filtered =
      states === null
        ? 'true'
        : `(w.state = ANY (${params.add(texts, states)}::text[])${orAnnotated ? ' OR w.annotations > 0' : ''})`;
    const assigned =
      assignee === undefined
        ? ''
        : ` AND EXISTS (SELECT FROM image_review r WHERE r.project_id = ${params.add(uuid, args.projectId)} AND r.image_id = i.image_id AND r.assignee_id = ${params.add(int4, assignee)})`;
    return `SELECT i.image_id AS id, i.id AS item, w.id AS work, coalesce(w.annotations, 0) AS annotation_count, coalesce(w.bytes, 0) AS bytes
      FROM (SELECT f.id, coalesce(f.image_id, f.of_id) AS image_id, f.created_date FROM ${itemsOf(params.add(int8s, args.imageChunks))}) i
      LEFT JOIN (SELECT f.id, f.image_id, f.state, f.annotations, octet_length(f.content) AS bytes FROM ${itemsOf(params.add(int8s, args.workChunks))}) w ON w.image_id = i.image_id
      WHERE ${filtered}${assigned} ORDER BY i.created_date, i.image_id`;
  },
  row: { id: uuid, item: int8, work: nullable(int8), annotationCount: int4, bytes: int4 },
  samples: [undefined, 1].flatMap((assignee) =>
    [null, ['ACCEPTED']].map((states) => ({
      projectId: '',
      imageChunks: [1],
      workChunks: [1],
      states,
      orAnnotated: true,
      assignee,
    })),
  ),
});

/** Frozen images, with their bytes. */
export const itemBytes = statement({
  text: `SELECT f.id AS item, f.content, b.storage_key, b.byte_size AS size, b.sha256, b.crc32, coalesce(f.thumb_hash, '') AS thumb_hash, f.key_number, f.proof FROM frozen_item f JOIN blob b ON b.id = f.blob_id WHERE f.id = ANY ($ids)`,
  params: { ids: int8s },
  row: {
    item: int8,
    content: text,
    storageKey: text,
    size: int8,
    sha256: char,
    crc32: int8,
    thumbHash: char,
    keyNumber: int4,
    proof: nullable(char),
  },
});
