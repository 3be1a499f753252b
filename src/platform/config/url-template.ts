import { z } from 'zod';

/** A variable in a URL, e.g. `${NODE_URL}/ext/bc/C/rpc`. */
const VARIABLE = /\$\{([A-Z0-9_]+)\}/g;

/** Of interchangeable nodes. */
export const MAX_URLS = 16;

const UrlSchema = z.url({ protocol: /^https?$/ });

/** A URL of a configuration file, which may name variables. */
export const UrlTemplateSchema = z
  .string()
  .refine(
    (url) => !url.replace(VARIABLE, '').includes('${'),
    'names a variable with other letters than A-Z, 0-9 and _',
  );

/**
 * A variable that holds several values, separated by commas, makes several URLs, and a URL whose variable is not set is left out. Throws
 * Error for what is no URL then, and for too many.
 */
export function expandUrls(templates: readonly string[], variables: NodeJS.ProcessEnv): string[] {
  const urls = templates.flatMap((template) => expandUrl(template, variables));
  if (urls.some((url) => !UrlSchema.safeParse(url).success)) {
    throw new Error('must be URLs with http or https');
  }
  if (urls.length > MAX_URLS) throw new Error(`more than ${MAX_URLS} URLs`);
  return urls;
}

function expandUrl(template: string, variables: NodeJS.ProcessEnv): string[] {
  let expanded = [template];
  for (const [variable, name = ''] of template.matchAll(VARIABLE)) {
    const values = (variables[name] ?? '')
      .split(',')
      .map((value) => value.trim().replace(/\/+$/, ''))
      .filter((value) => value !== '');
    expanded = expanded.flatMap((text) => values.map((value) => text.replace(variable, () => value)));
  }
  return expanded;
}
