import { existsSync } from 'node:fs';

/** Where Debian and its like put the library, for threads. */
const PLACES = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .concat('/usr/lib64/faketime/libfaketimeMT.so.1');

/** The library that shifts clocks; undefined where it is not installed. */
export function findFaketime(): string | undefined {
  return PLACES.find((place) => existsSync(place));
}
