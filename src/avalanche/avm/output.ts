import type { ValueOf } from '../platformvm/codec/field.js';
import type { avmOutput } from './codec/output.js';

export type { AvmUtxo } from './codec/output.js';

export type AvmOutput = ValueOf<typeof avmOutput>;
export type OutputType = AvmOutput['type'];
