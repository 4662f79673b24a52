import { errorTypeMap } from '@pothos/plugin-errors';
import { defaultFieldResolver, getNamedType, isInputObjectType, type GraphQLSchema } from 'graphql';
import { identifyAgain } from '../../../auth/guards.ts';
import { actorOf, isOpenTo, startAct, tellObject, type Act } from '../../../core/context/act.ts';
import type { Context } from '../../../core/context/context.ts';
import { onRecord } from '../../../core/audit/on-record.ts';
import { readGlobalId } from '../../../core/global-id.ts';

type Args = Readonly<Record<string, unknown>>;

/**
 * Lets every mutation of the schema leave an entry in the audit log, and count as a call, so that entries are bounded
 * as calls are.
 */
export function putMutationsOnRecord(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { name, resolve = defaultFieldResolver } = field;
    const input = getNamedType(field.args.find((argument) => argument.name === 'input')?.type);
    const ids = isInputObjectType(input)
      ? Object.values(input.getFields())
          .filter(({ type }) => getNamedType(type).name === 'ID')
          .map((inputField) => inputField.name)
      : [];
    field.resolve = async (source, args: Args, ctx: Context, info) => {
      // Mutations of a document run one after the other, and share the context. The caller and the call that the request
      // began with are those of the first.
      const isFurther = ctx.act !== undefined;
      if (isFurther) await identifyAgain(ctx);
      const act = startAct(
        { ...actorOf(ctx), isOpen: isOpenTo(ctx), surface: 'GRAPHQL', action: name },
        ctx.clock,
      );
      const named = Object.entries(args['input'] ?? {}).filter(([key]) => ids.includes(key));
      for (const [, id] of named) tellIds(schema, act, id);
      Object.assign(ctx, { act });
      const run = async (): Promise<unknown> => {
        if (isFurther) await ctx.callLimits.take(ctx);
        return await resolve(source, args, ctx, info);
      };
      return onRecord(ctx, act, run, refusalIn);
    };
  }
  return schema;
}

/** The code of an error that a result union has as a member. */
function refusalIn(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !errorTypeMap.has(result)) return undefined;
  return 'graphqlCode' in result ? String(result.graphqlCode) : undefined;
}

/** Names the object of a global id, or those of a list. */
function tellIds(schema: GraphQLSchema, act: Act, ids: unknown): void {
  for (const id of Array.isArray(ids) ? (ids as unknown[]) : [ids]) {
    const read = typeof id === 'string' ? readGlobalId(id) : undefined;
    if (read && schema.getType(read.typename)) tellObject({ act }, read.typename, read.id);
  }
}
