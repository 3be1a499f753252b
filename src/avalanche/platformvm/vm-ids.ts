import type { Id } from './ids.js';

/** VM ids of the primary network's chains: their names, padded with zeros (avalanchego v1.14.2 utils/constants/vm_ids.go). */
export const PLATFORM_VM_ID = vmId('platformvm');
export const AVM_ID = vmId('avm');
export const EVM_ID = vmId('evm');

function vmId(name: string): Id {
  return Buffer.from(name).toString('hex').padEnd(64, '0');
}
