import fc from 'fast-check'

/** Of the property tests: see vitest.config.ts. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PAYCTL_TESTS_SEED) })
