/// <reference lib="esnext.disposable" preserve="true" />
/**
 * `payctl/emulator`, for test suites: an emulator in this or another process, and a world of that emulator for each
 * test.
 */

export { ProfileRefusal } from '../../emulator/chaos/setting.ts'
export { type ControlCalls, ControlRefusal } from '../../emulator/control/calls.ts'
export type { Control, ReceivingFunction, SeededAccount } from '../../emulator/index.ts'
export type { AnsweredRequest, ChaosOption, EmulatorOptions, RailSettle, Seed, Settle } from '../../emulator/options.ts'
export { EmulatorRefusal } from '../../emulator/options.ts'
export { type Problem, SeedRefusal } from '../../emulator/seed_file/problems.ts'
export type {
  ChaosBody,
  ChaosProfile,
  ChaosState,
  Comparison,
  Currency,
  EventBody,
  EventName,
  FaultBody,
  FaultRule,
  Origin,
  PaymentStatus,
  Report,
  SeedFile,
  WorldBreach,
  WorldEvent,
  WorldUser,
} from '../contract/index.ts'
export type { Assert, ExpectedDelivery, ExpectedPayment, ExpectedRequest } from './assert.ts'
export { BreachError } from './breaches.ts'
export { type ConnectedEmulator, type ConnectOptions, connectEmulator } from './connect.ts'
export { type Emulator, startEmulator, suiteEmulator } from './emulator.ts'
export { matchers, type WorldMatchers } from './matchers.ts'
export type { SuiteOptions } from './test_worlds.ts'
export type { Until, WaitOptions } from './until.ts'

export type { CompareWorlds, EmulatorWorld, MomentFilter, NewWorldOptions } from './world.ts'

export { type Hooks, worldForEach } from './world_for_each.ts'
