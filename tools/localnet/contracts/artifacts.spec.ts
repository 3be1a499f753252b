import { expect, it } from '@jest/globals';
import * as artifacts from './artifacts.js';
import { compileContracts } from './compile.js';

it('the compiled contracts are what the compiler makes of their sources', async () => {
  expect({ ...artifacts }).toEqual(await compileContracts());
}, 60_000);
