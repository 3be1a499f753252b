export const API_KEY_HEADER = 'x-data-api-key';
