/** Path of what does not exist. */
const UNKNOWN_PATH = 'unknown';

const paths = new Map<string, string>();

/** The path of a request's route as the OpenAPI document writes it, without what the caller has put into it. */
export function routePathOf({
  routeOptions: { url },
}: {
  routeOptions: { readonly url?: string | undefined };
}): string {
  if (url === undefined) return UNKNOWN_PATH;
  const known = paths.get(url);
  if (known !== undefined) return known;
  const path = url
    .replace(/::/g, '\0')
    .replace(/:(\w+)/g, '{$1}')
    .replaceAll('\0', ':');
  paths.set(url, path);
  return path;
}
