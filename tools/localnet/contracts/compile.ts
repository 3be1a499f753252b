import { type Abi, formatAbi } from 'abitype';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

/** Entries of `artifacts.ts`, by contract. */
export interface Artifact {
  /** As signatures. */
  readonly abi: readonly string[];
  /** Creation code, without the constructor's arguments. */
  readonly bytecode: `0x${string}`;
}

/** Newest rules that the C-chain of avalanchego v1.14.2 knows: Etna brought Cancun. */
const EVM_VERSION = 'cancun';

const SETTINGS = {
  evmVersion: EVM_VERSION,
  optimizer: { enabled: true, runs: 200 },
  // Otherwise a changed comment changes the code.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
} as const;

const CompilerSchema = z.object({
  default: z.object({
    compile: z.custom<(input: string) => string>((value) => typeof value === 'function'),
  }),
});

const OutputSchema = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.custom<Abi[number]>()),
          evm: z.object({ bytecode: z.object({ object: z.string().regex(/^[0-9a-f]*$/) }) }),
        }),
      ),
    )
    .optional(),
});

/** All contracts of `solidity/`, by name and in order of it. Throws Error with the compiler's text. */
export async function compileContracts(): Promise<Record<string, Artifact>> {
  // Only here: it is large, and a built program has no use for it.
  const { compile } = CompilerSchema.parse(await import('solc')).default;
  const output = OutputSchema.parse(
    JSON.parse(compile(JSON.stringify({ language: 'Solidity', sources: readSources(), settings: SETTINGS }))),
  );
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const contracts = Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file));
  return Object.fromEntries(
    contracts
      .filter(([, { abi, evm }]) => evm.bytecode.object !== '' && abi.length > 0) // interfaces and internal libraries
      .map(([name, { abi, evm }]): [string, Artifact] => [
        name,
        { abi: formatAbi(abi), bytecode: `0x${evm.bytecode.object}` },
      ])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function readSources(): Record<string, { content: string }> {
  const folder = join(projectFolder(), 'tools', 'localnet', 'contracts', 'solidity');
  const files = readdirSync(folder).filter((file) => file.endsWith('.sol'));
  return Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(join(folder, file), 'utf8') }]),
  );
}
