import * as z from 'zod';
import { ValidationError } from '../../core/errors.ts';
import {
  filledText,
  langCodeField,
  loginField,
  nameField,
  permissionsField,
  timeZoneField,
} from '../../core/records/record-fields.ts';

const departmentField = z.object({ name: nameField, home: z.boolean().nullish() });

/** What an administrator sets of a user: what is left out stays as it is; null clears unit, profile and time zone. */
const changeSchema = z.object({
  displayName: filledText(200).nullish(),
  unit: nameField.nullish(),
  profile: nameField.nullish(),
  departments: z.array(departmentField).max(200).nullish(),
  permissions: permissionsField.nullish(),
  timeZone: timeZoneField.nullish(),
  langCode: langCodeField.nullish(),
  defaultView: z.enum(['MV', 'DV', 'SV']).nullish(),
});
const newUserSchema = changeSchema.extend({ login: loginField });

export type UserInput = z.input<typeof changeSchema>;
export type NewUserInput = z.input<typeof newUserSchema>;
export type UserChange = z.output<typeof changeSchema>;

/** Reads a change of a user. Throws ValidationError with every problem. */
export function readUserChange(input: UserInput): UserChange {
  return read(changeSchema, input);
}

/** Reads a new user. Throws ValidationError with every problem. */
export function readNewUser(input: NewUserInput): z.output<typeof newUserSchema> {
  return read(newUserSchema, input);
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(input);
  if (error)
    throw new ValidationError(
      error.issues.map(({ path, message, code }) => ({
        path: ['input', ...path.map(String)],
        message,
        code: code === 'too_big' ? 'TOO_LONG' : 'INVALID',
      })),
    );
  return data;
}
