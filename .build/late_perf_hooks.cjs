// fastify wants the clock, which is there without node:perf_hooks (2 ms at every start) and is itself made when first asked for.
module.exports = { performance: { now: () => performance.now() } }
