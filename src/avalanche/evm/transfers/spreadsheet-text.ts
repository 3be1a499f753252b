/** Characters that spreadsheets take for the start of a formula, also behind spaces and in full-width forms. */
const FORMULA_START = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/** The content of a cell that no spreadsheet executes; the writer of the file must still quote it. */
export function neutraliseText(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text;
}
