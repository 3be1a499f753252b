import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { ObservedNodeRow } from '../observed-node.js';

const PERCENT = { type: 'number', minimum: 0, maximum: 100 } as const;

export class ValidatorHealth {
  @ApiProperty({
    ...PERCENT,
    example: 100,
    description:
      'Percent of the looks at which a node of the operator was connected to it: one look a minute and node, of several nodes the median.',
  })
  reachabilityPercent: number;

  @ApiProperty({
    ...PERCENT,
    example: 0,
    description:
      'Percent of the looks at which the operator’s node asked it nothing on the P-chain, since it had failed to answer.',
  })
  benchedPChainRequestsPercent: number;

  @ApiProperty({ ...PERCENT, example: 0, description: 'The same on the X-chain.' })
  benchedXChainRequestsPercent: number;

  @ApiProperty({ ...PERCENT, example: 0, description: 'The same on the C-chain.' })
  benchedCChainRequestsPercent: number;
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
    'Active ones: where the IP address of the node is said to be; null when that is not known. By DB-IP (https://db-ip.com) unless the operator has another database.',
  required: ['city', 'country', 'countryCode', 'latitude', 'longitude'],
  properties: {
    city: { type: 'string', example: 'Frankfurt am Main', description: 'Name in English.' },
    country: { type: 'string', example: 'Germany', description: 'Name in English.' },
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
      description: 'Degrees to the north.',
    },
    longitude: {
      type: 'number',
      minimum: -180,
      maximum: 180,
      example: 8.6821,
      description: 'Degrees to the east.',
    },
  },
} satisfies ApiPropertyOptions;

export interface ObservedFields {
  avalancheGoVersion?: string;
  validatorHealth?: ValidatorHealth;
  geolocation: Geolocation | null;
}

export function observedFields(row: ObservedNodeRow): ObservedFields {
  return {
    ...(row.version === null ? {} : { avalancheGoVersion: row.version }),
    ...(row.reachability_percent === null
      ? {}
      : {
          validatorHealth: {
            reachabilityPercent: row.reachability_percent,
            benchedPChainRequestsPercent: row.benched_p_percent ?? 0,
            benchedXChainRequestsPercent: row.benched_x_percent ?? 0,
            benchedCChainRequestsPercent: row.benched_c_percent ?? 0,
          },
        }),
    geolocation: geolocation(row),
  };
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

function geolocation({ city, country_code, latitude, longitude }: ObservedNodeRow): Geolocation | null {
  if (city === null || country_code === null || latitude === null || longitude === null) return null;
  return {
    city,
    country: COUNTRY_NAMES.of(country_code) ?? country_code,
    countryCode: country_code,
    latitude,
    longitude,
  };
}
