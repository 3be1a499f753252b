import type { ZodType } from 'zod';

/** Of a file that an operator has written. Throws Error that names all that is wrong. */
export function parseSettings<T>(schema: ZodType<T>, content: unknown): T {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter((part) => part !== '').join(': '),
  );
  throw new Error(problems.join('; '));
}

/** Of the environment, where an empty variable counts as none. Throws as `parseSettings`. */
export function parseVariables<T>(schema: ZodType<T>, env: NodeJS.ProcessEnv): T {
  try {
    return parseSettings(schema, Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  } catch (error) {
    throw new Error(`bad configuration: ${textOf(error)}`, { cause: error });
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
}

export function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
