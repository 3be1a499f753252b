import { Injectable, type PipeTransform } from '@nestjs/common';
import type { ZodType, z } from 'zod';
import { badRequest } from '../api-error.js';

/** More than this many problems help nobody, and a hostile body could hold thousands. */
const MAX_PROBLEMS = 10;

/** Parses a body, query or parameter at the border; what comes out has the schema's type. */
@Injectable()
export class ZodPipe<T> implements PipeTransform<unknown, T> {
  constructor(private readonly schema: ZodType<T>) {}

  transform(value: unknown): T {
    const parsed = this.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw badRequest(describeProblems(parsed.error.issues));
  }
}

export function describeProblems(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, MAX_PROBLEMS).map((issue) => {
    const path = issue.path.map(String).join('.');
    return path === '' ? issue.message : `${path}: ${issue.message}`;
  });
  if (issues.length > MAX_PROBLEMS) shown.push(`and ${issues.length - MAX_PROBLEMS} more problems`);
  return shown.join('; ');
}
