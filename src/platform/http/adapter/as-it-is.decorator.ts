import { RouteConfig } from '@nestjs/platform-fastify';

/** The answers of a route are not compressed: it does so itself, or sends ranges of bytes. */
export const AsItIs = () => RouteConfig({ isSentAsItIs: true });

export function isSentAsItIs(config: object | undefined): boolean {
  return config !== undefined && 'isSentAsItIs' in config;
}
