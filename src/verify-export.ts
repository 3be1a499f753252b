import { createReadStream, readFileSync } from 'node:fs';
import { z } from 'zod';
import { EvmClient } from './avalanche/evm/rpc/evm-client.js';
import { type SignedProof, SignedProofSchema } from './exports/proof/export-proof.js';
import { verifyExport } from './exports/proof/verify-export.js';
import { readArguments } from './operator-command.js';

/** `npm run verify-export`: whether an export's file is that of its proof, and whether nodes of the caller's choice agree. */

const USAGE = `Usage: npm run verify-export -- proof.json transactions.csv [options]
  --rpc URL          a node with an archive, e.g. https://host/ext/bc/C/rpc; once for each chain that is to be compared
  --samples N        heights at which each account is compared (20)
  --public-key HEX   of the installation, as it is known otherwise than by this proof`;

const TIMEOUT_MS = 30_000;
const MAX_SAMPLES = 10_000;

const { positionals, values } = readArguments(
  {
    rpc: { type: 'string', multiple: true },
    samples: { type: 'string', default: '20' },
    'public-key': { type: 'string' },
  },
  USAGE,
);
const [proofFile, csvFile] = positionals;
const samples = z.coerce.number().int().min(0).max(MAX_SAMPLES).safeParse(values.samples);
if (proofFile === undefined || csvFile === undefined || !samples.success) {
  console.error(USAGE);
  process.exit(2);
}
const signed = readProof(proofFile);
const clients = new Map<string, EvmClient>();
try {
  for (const url of values.rpc ?? []) {
    const client = EvmClient.connect({ urls: [url], timeoutMs: TIMEOUT_MS });
    clients.set((await client.chainId()).toString(), client);
  }
  await verify(csvFile, samples.data);
} catch (error) {
  // Of a node or a file. Nothing is known of the export then, and nothing speaks against it.
  if (!(error instanceof Error) || !('code' in error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
for (const client of clients.values()) client.close();

/** Throws what the file and the nodes throw. */
async function verify(path: string, heights: number): Promise<void> {
  const stranger = [...clients.keys()].find(
    (id) => !signed.proof.chains.some(({ chainId }) => chainId === id),
  );
  if (stranger !== undefined) {
    console.error(`a node is of chain ${stranger}, which the proof does not have`);
    process.exitCode = 2;
    return;
  }
  const file = createReadStream(path) as AsyncIterable<Buffer>;
  const { problems, compared } = await verifyExport({ signed, file, clients, samples: heights });
  const expectedKey = values['public-key'];
  if (expectedKey !== undefined && expectedKey !== signed.publicKey) {
    problems.push(`the proof is signed by ${signed.publicKey}`);
  }
  for (const text of compared) console.log(text);
  for (const text of problems) console.error(text);
  console.log(problems.length === 0 ? 'verified' : 'not verified');
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Ends the process when it is none. */
function readProof(path: string): SignedProof {
  try {
    return SignedProofSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    console.error(`${path} is no proof of an export: ${reason}`);
    process.exit(2);
  }
}
