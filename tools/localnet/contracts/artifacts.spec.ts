import { expect, it } from '@jest/globals';
import * as artifacts from './artifacts.js';
import { compileContracts } from './compile.js';

it('artifacts are what the compiler makes of the sources', async () => {
  expect({ ...artifacts }).toEqual(await compileContracts());
}, 60_000);
