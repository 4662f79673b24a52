import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { listConfiguration } from './list-configuration.ts';
import { ConfigurationRef } from './schema.ts';
import { setConfiguration } from './set-configuration.ts';

const WritableConfigScope = builder.enumType('WritableConfigScope', {
  description: 'Scopes in which an administrator of a domain may configure values.',
  values: {
    DOMAIN: { description: 'Everybody in your domain.' },
    PROFILE: { description: 'Users of the profile that `subject` names.' },
    UNIT: { description: 'Users of the unit (store) that `subject` names.' },
    DEPT: { description: 'Users of the department that `subject` names.' },
    USER: { description: 'The user whose login `subject` is.' },
  } as const,
});

const SetConfigurationInput = mutationInput('SetConfigurationInput', {
  description: 'A value for one scope of your domain.',
  fields: (t) => ({
    key: t.string({
      required: true,
      description: 'Documented name of the value, e.g. feed_refresh_rate.',
    }),
    scope: t.field({
      type: WritableConfigScope,
      required: true,
      description: 'Scope for which to set it.',
    }),
    subject: t.string({
      description:
        'Name of the profile, unit or department, or login of the user; omit it for DOMAIN.',
    }),
    value: t.field({
      type: 'JSON',
      description:
        'The value in the form that REST shows. Omit it or use null to remove the value, so that the next wider scope applies.',
    }),
  }),
});

const SetConfigurationPayload = mutationPayload('SetConfigurationPayload', {
  description: 'Result of setting a value, which applies to the next request, on every gateway.',
  fields: (t) => ({
    configuration: t.field({
      type: ConfigurationRef,
      description: 'The configuration that now applies to you.',
      resolve: (_, __, ctx) => listConfiguration(signedIn(ctx)),
    }),
  }),
});

mutation('setConfiguration', {
  description: 'Sets or removes a configured value. Needs the permission DOMAIN_ADMIN.',
  input: SetConfigurationInput,
  inputIs: 'Scope, name and value.',
  payload: SetConfigurationPayload,
  failures: [ValidationError, NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => {
    await setConfiguration(signedIn(ctx), input);
    return {};
  },
});
