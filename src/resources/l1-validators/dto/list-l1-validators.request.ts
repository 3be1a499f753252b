import type { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { BooleanSchema, NodeIdSchema } from '../../../platform/http/schemas/query.schema.js';

export const ListL1ValidatorsQuerySchema = listQuerySchema('l1Validators', {
  l1ValidationId: IdHexSchema.meta({
    description: 'Only this validation, hex or cb58. Default: all.',
  }).optional(),
  nodeId: NodeIdSchema.meta({ description: 'Only validations of this node. Default: all.' }).optional(),
  subnetId: IdHexSchema.meta({
    description: 'Only validators of this L1, hex or cb58. Default: all.',
  }).optional(),
  includeInactiveL1Validators: BooleanSchema.meta({
    description: 'Whether to include validators without balance and removed ones.',
  }).default(false),
});

export type ListL1ValidatorsQuery = z.output<typeof ListL1ValidatorsQuerySchema>;
