import type { ApiParamOptions } from '@nestjs/swagger';
import { z } from 'zod';

type SchemaOf<T> = T extends { schema: infer S } ? S : never;
/** As in the document. */
export type OpenApiSchema = SchemaOf<ApiParamOptions>;

/** Requests of callers, by the schema that parses them. */
export function toOpenApi(schema: z.ZodType): OpenApiSchema {
  const written = z.toJSONSchema(schema, {
    io: 'input',
    target: 'openapi-3.0',
    unrepresentable: 'any',
    // Zod itself leaves out the defaults of what is transformed.
    override: ({ zodSchema: { _zod }, jsonSchema }) => {
      const { def } = _zod;
      if (def.type !== 'default' && def.type !== 'prefault') return;
      const { defaultValue } = def;
      if (typeof defaultValue === 'bigint') jsonSchema.default = Number(defaultValue);
      else if (typeof defaultValue !== 'object') jsonSchema.default = defaultValue;
    },
  });
  if (isOpenApi(written)) return written;
  throw new Error('what callers send has a type');
}

function isOpenApi(written: object): written is OpenApiSchema {
  return 'type' in written;
}
