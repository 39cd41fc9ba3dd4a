/** All workers use one emulator: in the main process of Jest, or the emulator of `payctl emulate -- jest`. */
module.exports = {
  testMatch: ['<rootDir>/suites/jest*.test.*'],
  globalSetup: 'payctl/jest/setup',
  globalTeardown: 'payctl/jest/teardown',
  globals: { payctl: { settle: 'manual' } },
  transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.json' }] },
  maxWorkers: 2,
}
