import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { ObservedRow } from '../validator-list.js';

const PERCENT = { type: 'number', minimum: 0, maximum: 100 } as const;

export class ValidatorHealth {
  @ApiProperty({
    ...PERCENT,
    example: 100,
    description:
      'Percentage of checks in which a node of the operator was connected to it. Each node checks once a minute; with several nodes, this is the median.',
  })
  reachabilityPercent!: number;

  @ApiProperty({
    ...PERCENT,
    example: 0,
    description:
      'Percentage of checks in which the operator’s node had benched it on the P-chain, that is, sent it no requests because it had failed to answer.',
  })
  benchedPChainRequestsPercent!: number;

  @ApiProperty({ ...PERCENT, example: 0, description: 'The same on the X-chain.' })
  benchedXChainRequestsPercent!: number;

  @ApiProperty({ ...PERCENT, example: 0, description: 'The same on the C-chain.' })
  benchedCChainRequestsPercent!: number;
}

export interface Geolocation {
  city: string;
  country: string;
  countryCode: string;
  latitude: number;
  longitude: number;
}

/** By itself in the document, where a schema that others refer to cannot be null. */
export const GEOLOCATION = {
  type: 'object',
  nullable: true,
  description:
    'Active validations: location of the node’s IP address according to a database; null if unknown. The database is by DB-IP (https://db-ip.com) unless the operator uses another.',
  required: ['city', 'country', 'countryCode', 'latitude', 'longitude'],
  properties: {
    city: { type: 'string', example: 'Frankfurt am Main', description: 'English name.' },
    country: { type: 'string', example: 'Germany', description: 'English name.' },
    countryCode: {
      type: 'string',
      example: 'DE',
      pattern: '^[A-Z]{2}$',
      description: 'ISO 3166-1, two letters.',
    },
    latitude: {
      type: 'number',
      minimum: -90,
      maximum: 90,
      example: 50.1109,
      description: 'Degrees north.',
    },
    longitude: {
      type: 'number',
      minimum: -180,
      maximum: 180,
      example: 8.6821,
      description: 'Degrees east.',
    },
  },
} satisfies ApiPropertyOptions;

export interface ObservedFields {
  avalancheGoVersion?: string;
  validatorHealth?: ValidatorHealth;
  geolocation: Geolocation | null;
}

export function observedFields(row: ObservedRow): ObservedFields {
  return {
    ...(row.version === null ? {} : { avalancheGoVersion: row.version }),
    ...(row.reachabilityPercent === null
      ? {}
      : {
          validatorHealth: {
            reachabilityPercent: row.reachabilityPercent,
            benchedPChainRequestsPercent: row.benchedPPercent ?? 0,
            benchedXChainRequestsPercent: row.benchedXPercent ?? 0,
            benchedCChainRequestsPercent: row.benchedCPercent ?? 0,
          },
        }),
    geolocation: geolocation(row),
  };
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

function geolocation({ city, countryCode, latitude, longitude }: ObservedRow): Geolocation | null {
  if (city === null || countryCode === null || latitude === null || longitude === null) return null;
  return {
    city,
    country: COUNTRY_NAMES.of(countryCode) ?? countryCode,
    countryCode,
    latitude,
    longitude,
  };
}
