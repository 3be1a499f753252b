import { describe, expect, it } from '@jest/globals';

describe('the log', () => {
  it.each(['verbose', ''])(
    'is there for LOG_LEVEL=%s, which the schema of settings judges',
    async (level) => {
      process.env['LOG_LEVEL'] = level;
      await expect(import(`./logger.js?${level}`)).resolves.toHaveProperty('nestLogger');
    },
  );
});
