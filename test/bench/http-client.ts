import { Agent, request } from 'node:http';

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
