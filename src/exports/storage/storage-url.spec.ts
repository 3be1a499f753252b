import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { parseStorageUrl } from './storage-url.js';

const S3 = {
  kind: 's3',
  bucket: 'my.bucket-1',
  prefix: '',
  region: undefined,
  endpoint: undefined,
  forcePathStyle: false,
};

describe(parseStorageUrl.name, () => {
  it.each<[string, object]>([
    ['exports', { kind: 'folder', folder: resolve('exports') }],
    ['/var/lib/exports/', { kind: 'folder', folder: resolve('/var/lib/exports') }],
    ['file:///var/lib/my%20exports', { kind: 'folder', folder: '/var/lib/my exports' }],
    ['s3://my.bucket-1', S3],
    ['s3://my.bucket-1/', S3],
    ['s3://my.bucket-1/a/b_c.d/', { ...S3, prefix: 'a/b_c.d/' }],
    ['s3://my.bucket-1?region=eu-central-1', { ...S3, region: 'eu-central-1' }],
    [
      's3://my.bucket-1/a?endpoint=http://127.0.0.1:9000&forcePathStyle=true',
      { ...S3, prefix: 'a/', region: 'us-east-1', endpoint: 'http://127.0.0.1:9000', forcePathStyle: true },
    ],
  ])('reads %s', (text, location) => expect(parseStorageUrl(text)).toEqual(location));

  it.each([
    ['ftp://host/folder', /must be a folder, a file:\/\/ URL or an s3:\/\/ URL/],
    ['file://other-host/folder', /is a file URL without a folder of this machine/],
    ['s3://', /must name a bucket/],
    ['s3:bucket', /must name a bucket/],
    ['s3://Bucket', /must name a bucket/],
    ['s3://bucket:9000', /must name a bucket/],
    ['s3://key:secret@bucket', /must not hold credentials/],
    ['s3://bucket/a//b', /in its prefix/],
    ['s3://bucket/a%2Fb', /in its prefix/],
    ['s3://bucket?regoin=x', /unknown option regoin; known are region, endpoint, forcePathStyle/],
    ['s3://bucket?region=EU', /malformed region/],
    ['s3://bucket?endpoint=localhost', /endpoint that is not an http\(s\) URL/],
    ['s3://bucket?endpoint=http://user:secret@host', /without credentials/],
    ['s3://bucket?forcePathStyle=yes', /needs true or false for forcePathStyle/],
  ])('refuses %s with an error that names the variable', (text, message) => {
    expect(() => parseStorageUrl(text)).toThrow(/^bad configuration: EXPORT_STORAGE_URL /);
    expect(() => parseStorageUrl(text)).toThrow(message);
    expect(() => parseStorageUrl(text)).not.toThrow(/secret/);
  });
});
