/** Layers from the bottom up: docs/architecture.md shows them. */
export const layers: readonly (readonly string[])[] = [
  ['src/version.ts', 'src/real_time.ts', 'src/contract'],
  ['src/words'],
  ['src/errors'],
  ['src/values'],
  ['src/client'],
  ['src/run'],
  ['src/files'],
  ['src/lock', 'src/sheets'],
  ['src/config', 'src/journal'],
  ['src/auth', 'src/payees', 'src/limits', 'src/audit'],
  ['src/payments', 'src/webhooks', 'src/lookups', 'src/receipts', 'src/masking'],
  ['src/output'],
  ['src/cli'],
  ['src/commands'],
  ['src/main.ts', 'src/index.ts', 'src/testing'],
]
