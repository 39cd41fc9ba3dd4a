export default {
  payctl: {
    input: '../../../docs/reference/openapi.json',
    output: {
      target: 'generated/orval/client.ts',
      client: 'fetch',
      headers: true,
      override: { mutator: { path: 'programs/orval_fetch.ts', name: 'orvalFetch' } },
    },
  },
}
