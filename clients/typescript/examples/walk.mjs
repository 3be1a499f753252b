// `node walk.mjs SERVICE NODE`: a walk through the sandbox network of `npm start`, whose banner prints both addresses.
import { createClient } from 'network-data-service-client';
import { downloadVerified, fetchValidators, verifySignedMessage } from 'network-data-service-client/verify';

const [baseUrl = 'http://127.0.0.1:3000', nodeUrl = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, signal: AbortSignal.timeout(300_000) });
const network = 'fuji';
const subnetId = '11111111111111111111111111111111LpoYY'; // the primary network
const message =
  '0x000000003039ee488204088eaba3d3c0c5e26d7a2892677f8d6181ef31848708b4e55ead7667000000260000000000008b0b0029df9b09a26ca85ddc04b82154310eda106a6b204befc7467287fe9a55';

// A signature, verified by the validators that another node names.
const { pChainHeight } = await client.get('/v1/signatureAggregator/{network}/subnets/{subnetId}/signers', {
  network,
  subnetId,
});
const request = { message, pChainHeight: Number(pChainHeight) };
const { signedMessage } = await client.aggregateSignatures(network, request);
const { signedWeight, totalWeight } = verifySignedMessage(signedMessage, {
  validators: await fetchValidators(nodeUrl, { subnetId, height: pChainHeight }),
  networkId: 12345, // of the sandbox; Fuji's is 5
  message,
});
console.log(`signed by ${signedWeight} of ${totalWeight}`);

// A list, however many pages it has.
let count = 0;
const rows = client.list('/v1/networks/{network}/validators', {
  network,
  validationStatus: 'active',
  pageSize: 2,
});
for await (const { nodeId } of rows) {
  console.log(`${(count += 1)}. ${nodeId}`);
}

// An export, which becomes a file only if its proof holds.
const { operationId } = await client.exportTransactions({
  type: 'TRANSACTION_EXPORT_EVM',
  options: { addresses: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'], includeChains: ['43112'] },
});
const finished = await client.waitForExport(operationId, {
  onProgress: ({ message }) => console.log(message),
});
const { publicKey, compared } = await downloadVerified(client, finished, { path: 'transactions.csv' });
console.log(`${compared.join('\n')}\nproved by ${publicKey}`);
