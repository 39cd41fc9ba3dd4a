import { type ControlInputOf, type ControlOutputOf, formatMoney } from '../../src/contract/index.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'
import type { MoneyId } from '../store/ids.ts'

export function findIds(
  { query: { kind, part } }: ControlInputOf<'control.ids.find'>,
  { world }: ControlContext,
): ControlOutputOf<'control.ids.find'> {
  const { ids } = world.store
  switch (kind) {
    case 'payment':
      return (part === 'last' ? [ids.newestPayment()].filter((one) => one !== undefined) : ids.payments(part)).map(
        shown,
      )
    case 'scheduled_credit':
      return ids.scheduledCredits(part).map(shown)
    case 'account':
      return ids.accounts(part).map(({ id, iban, currency }) => ({ id, about: `${iban}, ${currency}` }))
    case 'subscription':
      return ids.subscriptions(part).map(({ id, url }) => ({ id, about: url }))
    case 'user':
      return ids.users(part).map(({ id, name }) => ({ id, about: name }))
  }
}

const shown = ({ id, amount, currency, status, created_at }: MoneyId) => ({
  id,
  about: `${formatMoney(amount, currency)}, ${status}, ${preciseTimestamp(created_at)}`,
})
