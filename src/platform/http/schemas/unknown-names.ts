/** Showing more names of a hostile request, or longer parts of them, does not help. */
const MAX_SHOWN = 5;
const MAX_SHOWN_LENGTH = 40;

/** `unknown property a, b, and 3 more`: what a body or a query has that it should not have. */
export function describeUnknown(what: 'property' | 'query parameter', names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => name.slice(0, MAX_SHOWN_LENGTH));
  if (names.length > shown.length) shown.push(`and ${names.length - shown.length} more`);
  return `unknown ${what} ${shown.join(', ')}`;
}
