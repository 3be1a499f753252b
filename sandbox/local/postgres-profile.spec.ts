import { describe, expect, it } from '@jest/globals';
import { postgresProfile } from './postgres-profile.js';

const GB = 2 ** 30;

describe(postgresProfile.name, () => {
  it.each([
    [0.5, { shared_buffers: '128MB', maintenance_work_mem: '64MB', max_wal_size: '1024MB' }],
    [16, { shared_buffers: '2048MB', maintenance_work_mem: '512MB', max_wal_size: '4096MB' }],
    [512, { shared_buffers: '4096MB', maintenance_work_mem: '1024MB', max_wal_size: '8192MB' }],
  ])('is within bounds for %d GB', (gigabytes, expected) => {
    expect(postgresProfile(gigabytes * GB)).toMatchObject(expected);
  });
});
