import { z } from 'zod';

/** An object without unknown properties: a misspelt one would ask for something else than was meant. */
export function objectSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape, rule: string) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'invalid_type' ? rule : undefined),
  });
}
