import fc from 'fast-check'
import {
  type Asked,
  askTogether,
  filters,
  keys,
  mostly,
  pageOf,
  pick,
  refuse,
  request,
  type Step,
  soundOrder,
  spoil,
  step,
  who,
} from './steps.ts'

// Groups of steps that would seldom meet if each step were drawn separately.

const user: fc.Arbitrary<string> = fc.constantFrom('first', 'first', 'second')
const ask = (who: string, request: Asked): Step => ({ do: 'ask', who, request })
const wait = (ms: number): Step => ({ do: 'wait', ms })
const minute = wait(61_000)
/** Pauses, usually so long that the rate limit allows the full number of requests again. */
const pauses: fc.Arbitrary<Step[]> = mostly([[minute]], [[]])

/** Changes a payee's account while the payee is paid. */
const payeeChanges = fc
  .record({
    ...{ begins: pauses, who: user, order: soundOrder, which: pick, keys },
    status: fc.constantFrom('inactive', 'closed' as const),
  })
  .map(({ begins, who, order, which, keys: [before, after], status }): Step[] => [
    ...begins,
    ask(who, { ask: 'create', key: before, order: { ...order, payee: { own: which } } }),
    { do: 'status', which, status },
    ask(who, { ask: 'create', key: after, order: { ...order, payee: { own: which } } }),
    minute,
    ask(who, { ask: 'history', page: '', filters: '' }),
    { do: 'status', which, status: 'active' },
  ])

/** Makes payments at one time, then reads them page by page while nothing changes. */
const walk = fc
  .record({
    begins: pauses,
    orders: fc.array(fc.record({ who: user, key: fc.uuid(), order: soundOrder }), { minLength: 2, maxLength: 6 }),
    who: user,
    per: fc.integer({ min: 1, max: 4 }),
    filters,
  })
  .map(({ begins, orders, who, per, filters }): Step[] => [
    ...begins,
    ...orders.map(({ who, key, order }) => ask(who, { ask: 'create', key, order })),
    ...begins,
    ...[1, 2, 3, 4, 5].map((page) => ask(who, { ask: 'history', page: pageOf({ per, page }), filters })),
  ])

/** Suspends a subscription while deliveries wait, then resumes it. */
const pause = fc
  .record({ begins: pauses, who: user, order: soundOrder, which: pick, keys, ms: fc.constantFrom(1, 1000, 61_000) })
  .map(({ begins, who, order, which, keys: [before, after], ms }): Step[] => [
    ...begins,
    ask(who, { ask: 'create', key: before, order }),
    ask(who, { ask: 'suspend', which, reason: undefined }),
    ask(who, { ask: 'create', key: after, order }),
    wait(ms),
    ask(who, { ask: 'resume', which }),
    wait(1),
  ])

/** Repeats a request up to the limit per minute and beyond. */
const again = fc
  .record({ begins: pauses, who, request, times: fc.integer({ min: 6, max: 10 }) })
  .map(({ begins, who, request, times }): Step[] => [
    ...begins,
    ...Array.from({ length: times }, () => ask(who, request)),
  ])

/** Sends requests in one turn, whose commit often fails, and repeats the requests in a turn whose commit succeeds. */
const together = fc
  .record({ begins: pauses, asked: askTogether })
  .map(({ begins, asked }): Step[] => [
    ...begins,
    asked,
    { ...asked, isSpoilt: false },
    ask(asked.who, { ask: 'balance', which: 0 }),
  ])

/** Drops or repeats deliveries by a rule. */
const spoiled = fc
  .record({ who: user, rule: spoil, orders: fc.array(soundOrder, { minLength: 1, maxLength: 3 }), keys: fc.uuid() })
  .map(({ who, rule, orders, keys }): Step[] => [
    minute,
    rule,
    ...orders.map((order, at) => ask(who, { ask: 'create', key: `${keys}-${at}`, order })),
    minute,
    { do: 'clear rules' },
  ])

/** Rules refuse requests. */
const refusedByRule = fc
  .record({ rules: fc.array(refuse, { minLength: 1, maxLength: 2 }), who: user, order: soundOrder, keys, which: pick })
  .map(({ rules, who, order, keys: [one, other], which }): Step[] => [
    minute,
    ...rules,
    ...[one, other, one].map((key) => ask(who, { ask: 'create', key, order })),
    ask(who, { ask: 'validate', key: other, order }),
    ...(['payment', 'account', 'balance', 'account'] as const).map((name) => ask(who, { ask: name, which })),
    { do: 'clear rules' },
  ])

/** Steps of a run: usually single steps, sometimes groups. */
export const steps = (bounds: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<Step[]> =>
  fc
    .array(
      fc.oneof(
        { arbitrary: step.map((one): Step[] => [one]), weight: 40 },
        { arbitrary: fc.oneof(payeeChanges, walk, pause, again, together, spoiled, refusedByRule), weight: 5 },
      ),
      { ...bounds, size: 'max' },
    )
    .map((all) => all.flat())
