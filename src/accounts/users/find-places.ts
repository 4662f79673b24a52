import type { Database } from '../../core/database/db.ts';
import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import { fold } from '../../core/text.ts';
import type { UserChange } from './user-input.ts';

/** Where a user belongs, by ids; what is undefined stays as it is. */
export interface UserPlaces {
  unitId?: number | null | undefined;
  profileId?: number | null | undefined;
  depts?: { deptId: number; isHome: boolean }[] | undefined;
}

/** Finds the unit, profile and departments that are named, in the domain. Throws ValidationError for those that are not there. */
export async function findPlaces(
  { prisma }: Pick<Database, 'prisma'>,
  domainId: number,
  { unit, profile, departments }: UserChange,
): Promise<UserPlaces> {
  const problems: FieldProblem[] = [];
  const idIn = (
    rows: readonly { id: number; nameFold: string }[],
    name: string,
    path: string[],
  ): number => {
    const place = rows.find(({ nameFold }) => nameFold === fold(name));
    if (!place)
      problems.push({
        path: ['input', ...path],
        message: 'names nothing in the domain',
        code: 'NOT_FOUND',
      });
    return place?.id ?? 0;
  };
  const named = (names: readonly (string | null | undefined)[]) => ({
    where: {
      domainId,
      nameFold: { in: names.flatMap((name) => (name == null ? [] : [fold(name)])) },
    },
    select: { id: true, nameFold: true },
  });
  const units = await prisma.unit.findMany(named([unit]));
  const profiles = await prisma.profile.findMany(named([profile]));
  const depts = await prisma.dept.findMany(named(departments?.map(({ name }) => name) ?? []));
  const places = {
    unitId: unit == null ? unit : idIn(units, unit, ['unit']),
    profileId: profile == null ? profile : idIn(profiles, profile, ['profile']),
    depts: departments?.map(({ name, home }, index) => ({
      deptId: idIn(depts, name, ['departments', String(index), 'name']),
      isHome: home ?? false,
    })),
  };
  if (problems.length > 0) throw new ValidationError(problems);
  return places;
}
