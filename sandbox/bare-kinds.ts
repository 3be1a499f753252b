import { z } from 'zod';

/** Of behaviours: the full form, or the bare name of a kind that needs nothing beside it. */
export function orBareKind<Schema extends z.ZodType>(schema: Schema) {
  return z.union([
    z.string().transform((kind, context) => {
      const behaviour = schema.safeParse({ kind });
      if (behaviour.success) return behaviour.data;
      context.addIssue(`unknown behaviour, or one that needs more than its name: ${kind.slice(0, 50)}`);
      return z.NEVER;
    }),
    schema,
  ]);
}
