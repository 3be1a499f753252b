import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNITS, unitsOf } from './access/limits/units.js';
import { projectFolder } from './platform/config/project-folder.js';
import { ERROR_TEXTS, isErrorStatus } from './platform/http/errors/api-error.js';
import { STATUS_BY_CODE } from './platform/http/errors/status-of-code.js';
import { ERROR_ANSWERS } from './platform/http/openapi/errors.js';

/** Tables that follow from the code. `WRITE_DOCS=1 npm test -- unit src/document-tables` writes them anew. */
const isWriting = process.env.WRITE_DOCS === '1';

const root = projectFolder();

const ofCode = (text: string): string => `\`${text}\``;

function pricesTable(): string[] {
  const prices = [...new Set(Object.values(UNITS))].sort((a, b) => a - b);
  const rows = prices.map((price) => {
    const paths = Object.keys(UNITS).filter((path) => UNITS[path] === price);
    return `| ${price} | ${paths.map(ofCode).join(', ')} |`;
  });
  return [
    '| Units | Paths |',
    '|---|---|',
    ...rows,
    `| ${unitsOf('/docs')} | \`/openapi.json\`, \`/docs\` |`,
    `| ${unitsOf('/v1/any')} | everything else |`,
  ];
}

function statusesTable(): string[] {
  const statuses = Object.keys(ERROR_ANSWERS).map(Number).filter(isErrorStatus);
  return ['| Status | When |', '|---|---|', ...statuses.map((it) => `| ${it} | ${ERROR_ANSWERS[it].when} |`)];
}

function codesTable(): string[] {
  const statuses = [...new Set(Object.values(STATUS_BY_CODE))].sort((a, b) => a - b);
  const codes = Object.entries(STATUS_BY_CODE);
  return [
    '| Status | Codes |',
    '|---|---|',
    ...statuses.map((status) => {
      const ofStatus = codes.filter(([, value]) => value === status).map(([code]) => ofCode(code));
      return `| ${status} ${ERROR_TEXTS[status]} | ${ofStatus.join(', ')} |`;
    }),
  ];
}

/** `name: 'nds_…', help: '…'`, or both as arguments one after the other. */
const METRIC = /'(nds_[a-z0-9_]+)',\s*(?:help: )?(?:'([^'\n]*)'|"([^"\n]*)")/g;

function metricsIn(folder: string): [name: string, help: string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return metricsIn(path);
    if (!entry.name.endsWith('.ts') || entry.name.endsWith('.spec.ts')) return [];
    return Array.from(
      readFileSync(path, 'utf8').matchAll(METRIC),
      ([, name = '', single = '', double = '']): [string, string] => [name, single + double],
    );
  });
}

function metricsTable(): string[] {
  const metrics = [...metricsIn(join(root, 'src')), ...metricsIn(join(root, 'activities'))];
  const rows = metrics
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, help]) => `| \`${name}\` | ${help} |`);
  return ['| Metric | Meaning |', '|---|---|', ...rows];
}

/** Markers around a table, in the document that has it. */
const startOf = (name: string): string => `<!-- generated table: ${name} -->\n\n`;
const END = '\n\n<!-- end of the generated table -->';

function tableIn(document: string, name: string, table: string): string {
  const text = readFileSync(document, 'utf8');
  const start = text.indexOf(startOf(name)) + startOf(name).length;
  const end = text.indexOf(END, start);
  if (isWriting) writeFileSync(document, text.slice(0, start) + table + text.slice(end));
  return text.slice(start, end);
}

describe('generated tables', () => {
  it.each([
    ['docs/api.md', 'prices', pricesTable()],
    ['docs/api.md', 'statuses', statusesTable()],
    ['docs/api.md', 'error codes', codesTable()],
    ['docs/metrics.md', 'metrics', metricsTable()],
  ])('%s has the %s of the code', (document, name, rows) => {
    expect(rows.length).toBeGreaterThan(4);
    const table = rows.join('\n');
    const written = tableIn(join(root, document), name, table);
    if (!isWriting) expect(written).toBe(table);
  });
});
