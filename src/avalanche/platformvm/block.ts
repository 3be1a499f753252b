import type { BlockFields } from './codec/block.js';
import type { Id } from './ids.js';

/** With its id: sha256 of the block's bytes, without a proposervm envelope. */
type Identified<Fields> = Fields extends unknown ? Fields & { readonly id: Id } : never;

export type Block = Identified<BlockFields>;
export type BlockType = Block['type'];

type BlockOf<Type extends BlockType> = Extract<Block, { readonly type: Type }>;
export type ProposalBlock = BlockOf<'ApricotProposal' | 'BanffProposal'>;
export type OptionBlock = BlockOf<'ApricotAbort' | 'ApricotCommit' | 'BanffAbort' | 'BanffCommit'>;
