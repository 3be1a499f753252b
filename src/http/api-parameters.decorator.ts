import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';

type SchemaOf<T> = T extends { schema: infer S } ? S : never;
export type ParameterSchema = SchemaOf<ApiQueryOptions> & { description?: string };

export const ApiNetwork = (): MethodDecorator =>
  ApiParam({ name: 'network', enum: ['mainnet', 'fuji', 'testnet'] });

/** The query's parameters for the OpenAPI page, all optional; the truth that requests are parsed with is the Zod schema. */
export function ApiQueryParameters(parameters: Readonly<Record<string, ParameterSchema>>): MethodDecorator {
  return applyDecorators(
    ...Object.entries(parameters).map(([name, { description, ...schema }]) =>
      ApiQuery({ name, required: false, schema, ...(description === undefined ? {} : { description }) }),
    ),
  );
}

export const PAGING = (sizes: { max: number; default: number }): Record<string, ParameterSchema> => ({
  pageToken: { type: 'string', description: 'The nextPageToken of the page before, of the same query.' },
  pageSize: { type: 'integer', minimum: 1, maximum: sizes.max, default: sizes.default },
});

export const SORT_ORDER: Record<string, ParameterSchema> = {
  sortOrder: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
};
