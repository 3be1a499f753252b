import { FastifyAdapter } from '@nestjs/platform-fastify';

/** Reads JSON bodies and no others: Nest's own adapter reads forms as well, and Fastify plain text. */
export class JsonAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    const server = this.getInstance();
    server.removeContentTypeParser(['text/plain', 'application/json']);
    const parse = server.getDefaultJsonParser('error', 'error');
    server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
      // Many clients declare the type of every body, also of a DELETE that has none.
      if (body === '') done(null);
      else void parse(request, body, done);
    });
  }
}
