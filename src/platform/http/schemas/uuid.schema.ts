import { z } from 'zod';

export const UuidSchema = z.uuid({ error: 'must be a UUID' }).transform((id) => id.toLowerCase());
