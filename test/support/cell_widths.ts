import { registerHooks } from 'node:module'

const widths = new URL('../../.build/cell_width.cjs', import.meta.url).href

// Preloaded (`--import`): cli-table3 measures cells as in the bundle, not with its own old string-width.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'string-width' && context.parentURL?.includes('/cli-table3/')
      ? { url: widths, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
})
