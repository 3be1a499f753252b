import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ERROR_TEXTS } from './api-error.js';

/** The errors that every endpoint lists, all with the one error body. */
export function ApiErrors(): MethodDecorator {
  return applyDecorators(
    ...Object.entries(ERROR_TEXTS).map(([statusCode, error]) =>
      ApiResponse({
        status: Number(statusCode),
        description: error,
        schema: {
          type: 'object',
          required: ['message', 'statusCode', 'error'],
          properties: {
            message: { type: 'string' },
            statusCode: { type: 'integer', example: Number(statusCode) },
            error: { type: 'string', example: error },
          },
        },
      }),
    ),
  );
}
