import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectFolder } from './platform/config/project-folder.js';

/** Folders that are made, not written. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', '.data', '.git']);

const root = projectFolder();

function documentsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : documentsIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const documents = documentsIn(root);

/** Text without blocks of code, in which brackets are not links. */
const proseOf = (path: string): string => readFileSync(path, 'utf8').replace(/^```[^]*?^```$/gm, '');

/** The anchor of a heading, as GitHub makes it: lower case, punctuation dropped, spaces as hyphens. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (path: string): string[] =>
  Array.from(proseOf(path).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => anchorOf(heading));

function brokenLinksOf(path: string): string[] {
  const links = Array.from(proseOf(path).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

describe('links of documents', () => {
  it('finds the documents of the project', () => {
    const names = documents.map((path) => relative(root, path));
    expect(names).toContain('README.md');
    expect(names).toContain(join('docs', 'operating.md'));
  });

  it('lead to files and headings that exist', () => {
    const broken = documents.flatMap((path) =>
      brokenLinksOf(path).map((link) => `${relative(root, path)}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
