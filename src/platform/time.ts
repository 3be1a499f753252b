export const MINUTE_SECONDS = 60;
export const DAY_SECONDS = 86_400;
