import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/keys/caller.js';
import type { SetPrice } from '../../access/limits/price-of-answer.decorator.js';
import { AGGREGATION_UNITS } from '../../access/limits/units.js';
import { failureOf, isFromStore } from './aggregation-metrics.js';
import { WaitingAggregations } from './collect/waiting-aggregations.js';
import type { Answer } from './signature-aggregator.service.js';

/** Aggregations within a caller's limits. A stored answer costs little; validators that were asked in vain cost most. */
@Injectable()
export class PricedAggregations {
  constructor(private readonly waiting: WaitingAggregations) {}

  async during(
    { caller, price: setPrice }: { caller: Caller | undefined; price: SetPrice },
    aggregate: () => Promise<Answer>,
  ): Promise<Omit<Answer, 'source'>> {
    try {
      const { source, ...signed } = await this.waiting.during(caller, aggregate);
      setPrice(isFromStore(source) ? AGGREGATION_UNITS.stored : AGGREGATION_UNITS.collected);
      return signed;
    } catch (error) {
      if (failureOf(error) === 'insufficient_signatures') setPrice(AGGREGATION_UNITS.refused);
      throw error;
    }
  }
}
