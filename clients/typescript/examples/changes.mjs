// `node changes.mjs SERVICE ADDRESS [CURSOR]`: prints what happens to the UTXOs of an address, from a cursor on or from now on.
import { createClient } from 'network-data-service-client';

const [baseUrl = 'http://127.0.0.1:3000', addresses = '', cursor] = process.argv.slice(2);
const client = createClient({ baseUrl });
for await (const change of client.changes({ network: 'fuji', addresses, ...(cursor && { cursor }) })) {
  switch (change.event) {
    case 'utxo.created':
    case 'utxo.consumed':
      console.log(
        `${change.event} ${change.data.utxoId} ${change.data.amount}, continue with ${change.cursor}`,
      );
      break;
    default:
      console.log(change.event);
  }
}
