import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AssetEntity } from '../../indexes/x-chain/entities/x-chain.entities.js';
import { AssetRepository } from './asset.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([AssetEntity])],
  providers: [AssetRepository],
  exports: [AssetRepository],
})
export class AssetsModule {}
