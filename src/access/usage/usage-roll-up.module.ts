import { Module } from '@nestjs/common';
import { SpendingModule } from '../limits/spending.module.js';
import { UsageRollUp } from './usage-roll-up.js';
import { UsageRollUpRepository } from './usage-roll-up.repository.js';

@Module({
  imports: [SpendingModule],
  providers: [UsageRollUpRepository, UsageRollUp],
  exports: [UsageRollUp],
})
export class UsageRollUpModule {}
