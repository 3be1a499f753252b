import { FastifyAdapter } from '@nestjs/platform-fastify';

/** Reads JSON bodies and no others: Nest's own adapter reads forms as well, and Fastify plain text. */
export class JsonAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    this.getInstance().removeContentTypeParser('text/plain');
  }
}
