import fc from 'fast-check'

/** Seed of the property tests: see vitest.config.ts. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PAYCTL_TESTS_SEED) })
