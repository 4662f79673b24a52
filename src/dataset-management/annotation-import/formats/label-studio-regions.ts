import { isRecord } from '../../../core/json-values.ts';
import { measure, numberRings } from '../../projects/annotations/geometry.ts';
import type { ImageSize, SourceAnnotation } from '../source/import-source.ts';
import { labelsOf, shapeOfRegion } from './label-studio-shapes.ts';
import { readRegions, type Region } from './label-studio-task.ts';
import { sameBox } from './pixels.ts';

/** A region that has a label and a shape. */
interface Labelled {
  region: Region;
  /** As faults call it. */
  label: string;
  annotation: SourceAnnotation;
}

/** The names of classes that the regions of a task give: not what was chosen for one region. */
export async function classNamesOf(result: readonly unknown[]): Promise<string[]> {
  const read = await readRegions(result);
  const regions = read.flatMap((parsed) => ('region' in parsed ? parsed.region : []));
  const marked = new Set(regions.flatMap(({ type, id }) => (type === 'choices' ? [] : id)));
  return regions
    .filter(({ type, id }) => type !== 'choices' || id == null || !marked.has(id))
    .flatMap(labelsOf);
}

/**
 * The annotations that the regions of a task show. Polygons below one of the same class, at any depth, are parts of it, and
 * points below a box, or of one id with a number, are one annotation with all of them, as our exports write them. What was
 * chosen for one region is an attribute with the name of the control. `fault` is told what can't be stored.
 */
export async function annotationsOf(
  result: readonly unknown[],
  image: ImageSize,
  fault: (object: string, message: string) => void,
): Promise<SourceAnnotation[]> {
  const choices: { region: Region; label: string }[] = [];
  const labelled: Labelled[] = [];
  for (const [index, parsed] of (await readRegions(result)).entries()) {
    if ('faults' in parsed) {
      for (const message of parsed.faults) fault(`region ${index + 1}`, message);
      continue;
    }
    const { region } = parsed;
    const label = `region ${region.id ?? index + 1}`;
    // How regions belong together says nothing of any of them.
    if (region.type === 'relation') continue;
    const [className, ...others] = labelsOf(region);
    const { original_width: width, original_height: height } = region;
    if (region.type === 'choices') choices.push({ region, label });
    else if ((width && width !== image.width) || (height && height !== image.height))
      fault(label, `is of an image of ${width} × ${height}`);
    else if (region.image_rotation) fault(label, 'is on an image that is turned');
    else {
      const shape = shapeOfRegion(region, image);
      if ('fault' in shape) fault(label, shape.fault);
      else if (className === undefined || others.length > 0)
        fault(label, `has ${others.length > 0 ? 'several labels' : 'no label'}`);
      else
        labelled.push({
          region,
          label,
          annotation: { label, className, ...shape, ...saidOf(region) },
        });
    }
  }
  const byId = new Map(labelled.map(({ region, annotation }) => [region.id, annotation]));
  const whole = choices.flatMap(({ region, label }): SourceAnnotation[] => {
    const names = labelsOf(region);
    const about = region.id == null ? undefined : byId.get(region.id);
    if (!about)
      return names.map((className) => ({
        ...{ label, className, shape: 'CLASSIFICATION', geometry: null },
      }));
    // Into the same object: there may be a hundred thousand.
    about.attributes = Object.assign(isRecord(about.attributes) ? about.attributes : {}, {
      [region.from_name ?? 'choice']: names.join(', '),
    });
    return [];
  });
  return [...joined(labelled, image, fault), ...whole];
}

/** Attributes and crowds, which exports put into `meta`. */
function saidOf({ meta }: Region): Pick<SourceAnnotation, 'attributes' | 'sent'> {
  return {
    attributes: meta?.attributes,
    ...(meta?.iscrowd === 1 && { sent: { iscrowd: 1 } }),
  };
}

/** Puts parts to the annotations to which they belong, in the order of the first ones. */
function joined(
  labelled: readonly Labelled[],
  image: ImageSize,
  fault: (object: string, message: string) => void,
): SourceAnnotation[] {
  const aboveOf = parentsOf(labelled);
  const topOf = topsOf(aboveOf);
  const points = new Map<string, Labelled[]>();
  const rings = new Map<Labelled, number[][]>();
  const kept: (Labelled | string)[] = [];
  for (const one of labelled) {
    const { region, annotation } = one;
    const above = aboveOf(one);
    if (annotation.shape === 'POINTS') {
      const [, stem = ''] = /^(.*)-\d+$/.exec(region.id ?? '') ?? [];
      const parent = above?.annotation.shape === 'BBOX' ? region.parentID : undefined;
      const key =
        parent ??
        (region.meta?.point !== undefined && stem !== ''
          ? `${stem} ${annotation.className}`
          : one.label);
      const group = points.get(key ?? '');
      if (group) group.push(one);
      else {
        points.set(key ?? '', [one]);
        if (parent == null) kept.push(key ?? '');
      }
    } else if (annotation.shape === 'POLYGON' && above?.annotation.shape === 'POLYGON') {
      const top = topOf(one);
      if (!top) fault(one.label, 'is a part of itself');
      else {
        const parts = rings.get(top) ?? [];
        rings.set(top, parts);
        for (const ring of numberRings(annotation.geometry)) parts.push(ring);
      }
    } else kept.push(one);
  }
  return kept.map((one) => {
    if (typeof one === 'string') return pointsOf(image, points.get(one) ?? [], fault);
    const below = one.region.id == null ? undefined : points.get(one.region.id);
    if (below && one.annotation.shape === 'BBOX') return pointsOf(image, below, fault, one);
    const parts = rings.get(one);
    return parts
      ? { ...one.annotation, geometry: [...numberRings(one.annotation.geometry), ...parts] }
      : one.annotation;
  });
}

/** The region that a region names as its parent, if it is another one of the same class. */
function parentsOf(labelled: readonly Labelled[]): (one: Labelled) => Labelled | undefined {
  const byId = new Map<string, Labelled>();
  for (const one of labelled)
    if (one.region.id != null && !byId.has(one.region.id)) byId.set(one.region.id, one);
  return (one) => {
    const above = one.region.parentID == null ? undefined : byId.get(one.region.parentID);
    return above !== one && above?.annotation.className === one.annotation.className
      ? above
      : undefined;
  };
}

/** The polygon at the top of those of which one is a part; undefined where they go round in a circle. Each is passed once. */
function topsOf(
  aboveOf: (one: Labelled) => Labelled | undefined,
): (one: Labelled) => Labelled | undefined {
  const tops = new Map<Labelled, Labelled | undefined>();
  return (one) => {
    const way = new Set<Labelled>();
    let top: Labelled | undefined = one;
    while (top && !tops.has(top)) {
      if (way.has(top)) top = undefined;
      else {
        way.add(top);
        const above = aboveOf(top);
        if (above?.annotation.shape !== 'POLYGON') break;
        top = above;
      }
    }
    const found = top && tops.has(top) ? tops.get(top) : top;
    for (const part of way) tops.set(part, found);
    return found;
  };
}

/** One annotation of points, each at its place if it has a number; with the box above them, if there is one. */
function pointsOf(
  image: ImageSize,
  group: readonly Labelled[],
  fault: (object: string, message: string) => void,
  box?: Labelled,
): SourceAnnotation {
  const places = new Map<number, number[]>();
  let most = 0;
  for (const { region, label, annotation } of group) {
    const [xy = []] = numberRings([annotation.geometry]);
    const at = region.meta?.point ?? most + 1;
    most = Math.max(most, at);
    if (places.has(at)) fault(label, `is point ${at}, which is there already`);
    places.set(at, [...xy, region.meta?.visibility ?? 2]);
  }
  const geometry = Array.from({ length: most }, (_, at) => places.get(at + 1) ?? [0, 0, 0]).flat();
  const [first] = group;
  const from = box?.annotation ?? first?.annotation;
  const [bbox] = box ? numberRings([box.annotation.geometry]) : [];
  const own = measure({ shape: 'POINTS', geometry }, image).bbox;
  return {
    label: from?.label ?? '',
    className: from?.className ?? '',
    attributes: from?.attributes,
    shape: 'POINTS',
    geometry,
    sent: { ...from?.sent, ...(bbox && !sameBox(own, bbox) && { bbox }) },
  };
}
