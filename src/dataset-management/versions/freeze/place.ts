/** What is frozen: the images of a dataset, where `ofId` is the dataset, or the work on them in a project. */
export interface Subject {
  datasetId: string;
  ofId: string;
}

/** An image, by its place in the order of images: by age, then by id. */
export interface Place {
  imageId: string;
  createdDate: Date;
}

/** A part of that order: what is behind a place, up to another one; either may be left out. */
export interface Span {
  after: Place | undefined;
  until: Place | undefined;
}

/** Does one image come before another one? */
export function isBefore(a: Place, b: Place): boolean {
  const [first, second] = [a.createdDate.getTime(), b.createdDate.getTime()];
  return first === second ? a.imageId < b.imageId : first < second;
}
