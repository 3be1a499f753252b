import { describe, expect, it } from '@jest/globals';
import { clientAddress, clientSite } from './client-address.js';

describe(clientAddress.name, () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['203.0.113.9:5678', '203.0.113.9'],
    ['::ffff:203.0.113.9:80', 'unknown'],
    ['[2001:db8:1:2::3]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::3]', '2001:db8:1:2::/64'],
    ['unix:', 'unknown'],
    ['whoever', 'unknown'],
    ['', 'unknown'],
  ])('counts a caller from %s as %s', (ip, known) => {
    expect(clientAddress(ip)).toBe(known);
  });
});

describe(clientSite.name, () => {
  it.each([
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['[2001:db8:1:3::3]:80', '2001:db8:1::/48'],
    ['203.0.113.9', undefined],
    ['::ffff:203.0.113.9', undefined],
  ])('of %s is %s', (ip, site) => expect(clientSite(ip)).toBe(site));
});
