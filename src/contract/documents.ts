/** The interface as OpenAPI documents, public and without an envelope. */
export const documents = {
  service: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'The service: its endpoints, OAuth and events',
  },
  emulator: {
    method: 'GET',
    path: '/_emulator/openapi.json',
    summary: 'The emulator’s own endpoints',
  },
} as const
