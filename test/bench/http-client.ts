import { Agent, request } from 'node:http';
import { untilServed } from './small.js';

export interface Answer {
  status: number;
  body: string;
}

/** Keep-alive and nothing else: what is measured is the server. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true, noDelay: true });

  constructor(
    private readonly baseUrl: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  /** The body; throws unless the answer is a 200. */
  async read(path: string): Promise<string> {
    const { status, body } = await untilServed(() => this.get(path));
    if (status !== 200) throw new Error(`${path}: answered ${status}: ${body.slice(0, 500)}`);
    return body;
  }

  post(path: string, body: string): Promise<Answer> {
    return this.send('POST', path, body);
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, body?: string): Promise<Answer> {
    const headers =
      body === undefined
        ? this.headers
        : { ...this.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.baseUrl),
        { agent: this.agent, method, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }
}
