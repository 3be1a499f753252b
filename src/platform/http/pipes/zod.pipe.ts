import { Injectable, type PipeTransform } from '@nestjs/common';
import type { ZodType, z } from 'zod';
import { badRequest } from '../errors/api-error.js';
import { describeUnknown } from '../schemas/unknown-names.js';

/** Listing more problems than this does not help, and a hostile body could hold thousands. */
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
  const problems = [...new Set(issues.map(describeProblem))];
  const shown = problems.slice(0, MAX_PROBLEMS);
  if (problems.length > MAX_PROBLEMS) shown.push(`and ${problems.length - MAX_PROBLEMS} more problems`);
  return shown.join('; ');
}

function describeProblem(issue: z.core.$ZodIssue): string {
  const isOwnText = issue.code === 'unrecognized_keys' && issue.message.startsWith('Unrecognized');
  const text = isOwnText ? describeUnknown('property', issue.keys) : issue.message;
  return issue.path.length === 0 ? text : `${nameOf(issue.path)}: ${text}`;
}

/** `options.addresses[0]` */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
