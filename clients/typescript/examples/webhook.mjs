// `node webhook.mjs SERVICE KEY URL PORT`: has the service call URL when an export ends, receives it at PORT, and removes the webhook.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient, readWebhook } from 'network-data-service-client';

const [baseUrl = '', apiKey = '', url = '', port = '8080'] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
const { webhookId, secret } = await client.addWebhook({ url });

const server = createServer((request, response) => {
  text(request)
    .then((body) => readWebhook({ headers: request.headers, body }, secret))
    .then(async ({ type, data }) => {
      response.writeHead(204).end();
      if (type !== 'operation.finished') return;
      console.log(`${data.operationId}: ${data.operationStatus}`);
      await client.removeWebhook(webhookId);
      server.close();
    })
    .catch(() => response.writeHead(400).end());
});
server.listen(Number(port));

await client.exportTransactions({
  type: 'TRANSACTION_EXPORT_EVM',
  options: { addresses: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'], includeChains: ['43112'] },
});
