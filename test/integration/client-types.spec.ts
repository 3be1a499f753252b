import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { describeApi } from '../support/http/api-document.js';
import { generateClientTypes } from '../support/http/client-types.js';

const FILE = join(projectFolder(), 'clients/typescript/src/schema.ts');

describe('the types of the published client', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await describeApi();
  });

  it('are those of the OpenAPI document; WRITE_CLIENT_TYPES=1 writes them', async () => {
    const types = await generateClientTypes(document);
    if (process.env['WRITE_CLIENT_TYPES'] === '1') writeFileSync(FILE, types);
    expect(readFileSync(FILE, 'utf8')).toBe(types);
  });

  it('can have path and query in one object, as no name is in both', () => {
    for (const { get, post, delete: remove } of Object.values(document.paths)) {
      for (const operation of [get, post, remove]) {
        const names = (operation?.parameters ?? []).flatMap((parameter) =>
          'in' in parameter && parameter.in !== 'header' ? [parameter.name] : [],
        );
        expect(new Set(names).size).toBe(names.length);
      }
    }
  });

  it('have one list in each page, by which its rows are found', () => {
    const pages = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => {
      const properties = 'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
      if (!properties.some(([property]) => property === 'nextPageToken')) return [];
      const lists = properties.filter(([, property]) => 'type' in property && property.type === 'array');
      return [{ name, lists: lists.length }];
    });
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter(({ lists }) => lists !== 1)).toEqual([]);
  });
});
