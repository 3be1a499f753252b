import { ApiPropertyOptional } from '@nestjs/swagger';
import { text } from './fields.js';

/** A page of a list, whose rows are in a property of its own. */
export class PageResponse {
  @ApiPropertyOptional(
    text(
      'The pageToken of the next page; absent on the last page.',
      '94JlFYhm5MrJLDd7LTzPX04GhQQBP_j6BwIv2_a8ad5bIjE3OTUzMDcyOTUiLCI5MjU3NGU0NjZhYTMxMGFlIl0',
    ),
  )
  nextPageToken?: string;
}
