import {
  answers,
  data,
  eventsOfOne,
  handles,
  initiated,
  type Mutant,
  paying,
  payingOnce,
  reading,
  renumbers,
  text,
} from './mutant.ts'
import type { Answer, Json } from './mutating_proxy.ts'

export const shapes: readonly Mutant[] = [
  {
    name: 'a payment that is read has no fee',
    caughtBy: initiated,
    start: data('payments.get', (payment) => delete payment.fee),
  },
  {
    name: 'an amount is a text',
    caughtBy: initiated,
    start: data('payments.create', ({ amount }) => Object.assign(amount, { value: String(amount.value) })),
  },
  {
    name: 'a payment has a status that there is not',
    caughtBy: initiated,
    start: data('payments.get', (payment) => Object.assign(payment, { status: 'done' })),
  },
  {
    name: 'a payment has a field that was removed from the interface',
    caughtBy: initiated,
    start: data('payments.create', (payment) => Object.assign(payment, { reference: 'x' })),
  },
  {
    name: 'a debit is told as a credit',
    caughtBy: initiated,
    start: data('payments.get', (payment) => Object.assign(payment, { transfer_type: 'credit' })),
  },
  {
    name: 'the user has no email',
    caughtBy: `${reading} > GET /api/user answers in the envelope with every field`,
    start: data('user.get', (user) => Object.assign(user, { email: null })),
  },
  {
    name: 'a success says that it is none',
    caughtBy: `${reading} > GET /api/accounts answers in the envelope with every field`,
    start: answers('accounts.list', ({ body }) => Object.assign(body, { success: false })),
  },
  {
    name: 'a success has another message',
    caughtBy: `${reading} > GET /api/fx/rates answers in the envelope with every field`,
    start: answers('fx.rates', ({ body }) => Object.assign(body, { message: 'OK' })),
  },
  {
    name: 'an answer is not JSON by its media type',
    caughtBy: `${reading} > GET /api/user answers in the envelope with every field`,
    start: answers('user.get', ({ headers }) => Object.assign(headers, { 'content-type': 'text/html' })),
  },
  {
    name: 'the document type of a phone’s holder is told',
    caughtBy: `${reading} > of a phone has no document type`,
    start: data('phone.information', (holder) => Object.assign(holder, { document_type: 0 })),
  },
  {
    name: 'the rails are said to be partly offline when both are online',
    caughtBy: `${reading} > service status is for everybody`,
    start: data('payments.serviceStatus', (status) => Object.assign(status, { overall_status: 'partial' })),
  },
  {
    name: 'local times are called UTC',
    caughtBy: `${paying} > times are UTC: a new payment is made when its answer says`,
    start: data('payments.get', (payment) => {
      const local = new Date(Date.parse(payment.created_at) - 6 * 3_600_000).toISOString()
      payment.created_at = local.slice(0, 19) + payment.created_at.slice(19)
    }),
  },
  {
    name: 'the payee of a payment to a phone has no phone',
    caughtBy: `${paying} > a payment to a phone is read with the phone of its payee`,
    start: data('payments.get', ({ payee }) => delete payee.phone_number),
  },
  {
    name: 'the payees of payments to phones have no phones in the history',
    caughtBy: `${paying} > a payment to a phone is read with the phone of its payee`,
    start: data('payments.history', (page) => {
      for (const { payee } of page.data) delete payee.phone_number
    }),
  },
  {
    name: 'a payment that completed has an empty error message',
    caughtBy: `${paying} > a payment that completed has no error message`,
    start: data('payments.get', (payment) => Object.assign(payment, { error_message: payment.error_message ?? '' })),
  },
  {
    name: 'a payment that failed has an empty error message',
    caughtBy: `${paying} > a payment that failed says why`,
    start: data('payments.get', (payment) => Object.assign(payment, { error_message: payment.error_message && '' })),
  },
  {
    name: 'a phone with 506 before it is not found',
    caughtBy: `${reading} > a phone is found with 506 before it as without`,
    start: answers('phone.information', (answer, { url }) => {
      if (!url.includes('/506')) return
      answer.status = 404
      answer.body = { success: false, message: 'Phone number not found in SINPE registry', data: null, errors: {} }
    }),
  },
  {
    name: 'a payment that is made is 200',
    caughtBy: initiated,
    start: renumbers('payments.create', 201, 200),
  },
  {
    name: 'a time of a payment has no zone',
    caughtBy: initiated,
    start: data('payments.get', (payment) => Object.assign(payment, { created_at: payment.created_at.slice(0, 19) })),
  },
  {
    name: 'the phone of a payment has its country code',
    caughtBy: 'payments > sending a payment > a payment to a phone goes by SINPE Móvil, prefix ""',
    start: data('payments.create', (payment) => {
      if (payment.recipient_phone) payment.recipient_phone = `+506${payment.recipient_phone}`
    }),
  },
  {
    name: 'a description is read cut',
    caughtBy: 'payments > sending a payment > a description of 255 letters is stored and returned unchanged',
    start: data('payments.get', (payment) => Object.assign(payment, { description: payment.description.slice(0, 35) })),
  },
  {
    name: 'payer and payee of a payment are exchanged',
    caughtBy: eventsOfOne,
    start: data('payments.get', (payment) => Object.assign(payment, { payer: payment.payee, payee: payment.payer })),
  },
  {
    name: 'a completed payment does not say when it was',
    caughtBy: 'payments > the life of a payment > a payment is submitted halfway and completed at the end',
    start: data('payments.get', (payment) => Object.assign(payment, { completed_at: null })),
  },
  {
    name: 'the holder of an IBAN is told in capitals',
    caughtBy: 'lookups > looking up an IBAN > an account here is found under its IBAN, with its owner',
    start: data('iban.information', (holder) => Object.assign(holder, { name: holder.name.toUpperCase() })),
  },
  {
    name: 'a phone that is looked up has a hyphen',
    caughtBy: 'lookups > looking up a phone > an enrolled phone is found, prefix ""',
    start: data('phone.information', (holder) => {
      holder.phone_number = holder.phone_number.replace(/^\d{4}/, '$&-')
    }),
  },
]

export const amounts: readonly Mutant[] = [
  {
    name: 'a formatted balance is not the balance',
    caughtBy: `${reading} > an account of the list is read by its id, with the same balance`,
    start: data('accounts.get', ({ balance }) => Object.assign(balance, { formatted: text(balance.value + 1, 'CRC') })),
  },
  {
    name: 'a balance is off by one minor unit',
    caughtBy: `${reading} > an account of the list is read by its id, with the same balance`,
    start: data('accounts.balance', (shown) => {
      shown.balance += 1
      shown.formatted = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(shown.balance / 100)
      shown.formatted += ` ${shown.currency}`
    }),
  },
  {
    name: 'a balance is as it was when it was first read',
    caughtBy: 'sums > balances > a payee has what was paid once the payment has completed, and no more',
    start: handles('accounts.balance', () => {
      const first = new Map<string, Answer>()
      return async (request, send) => {
        const answer = first.get(request.url) ?? (await send(request))
        first.set(request.url, answer)
        return answer
      }
    }),
  },
  {
    name: 'a payment is in another currency than its account',
    caughtBy: initiated,
    start: data('payments.create', ({ amount }) =>
      Object.assign(amount, { currency: 'USD', formatted: text(amount.value, 'USD') }),
    ),
  },
  {
    name: 'a fee is 0 while it is not known',
    caughtBy: `${paying} > the fee is null while it is not known, and then what validation said`,
    start: data('payments.get', (payment) => {
      payment.fee ??= { value: 0, currency: payment.amount.currency, formatted: `0.00 ${payment.amount.currency}` }
    }),
  },
  {
    name: 'the rates have no spread',
    caughtBy: `${reading} > the rates have the service’s spread on both sides, the upstream rates have not`,
    start: handles('fx.rates', () => async (request, send) => {
      const ours = await send(request)
      const { body } = await send({ ...request, url: request.url.replace('/rates', '/upstream-rates') })
      return { ...ours, body: { ...ours.body, data: body.data } }
    }),
  },
  {
    name: 'the fee of a validation is in another currency',
    caughtBy: `${payingOnce} > validation tells channel and fee, and makes no payment`,
    start: data('payments.validate', ({ fee }) =>
      Object.assign(fee, { currency: 'USD', formatted: text(fee.value, 'USD') }),
    ),
  },
  {
    name: 'the fee of a validation is always in colones',
    caughtBy: 'payments > sending a payment > a payment has the currency of its source account',
    start: data('payments.validate', ({ fee }) =>
      Object.assign(fee, { currency: 'CRC', formatted: text(fee.value, 'CRC') }),
    ),
  },
  {
    name: 'the fee of a completed payment stays unknown',
    caughtBy: 'payments > the life of a payment > a completed pin payment costs its payer amount and fee',
    start: data('payments.get', (payment) => Object.assign(payment, { fee: null })),
  },
  {
    name: 'more is paid for a dollar than is asked',
    caughtBy: 'fx > exchange rates > are what the service pays for a dollar and what it takes, from when and whom',
    start: data('fx.rates', (rate) => Object.assign(rate, { bid: rate.ask, ask: rate.bid })),
  },
  {
    name: 'the fee of a validation is off by one minor unit',
    caughtBy: 'sums > balances > a payment costs what its validation said',
    start: data('payments.validate', ({ fee }) =>
      Object.assign(fee, { value: fee.value + 1, formatted: text(fee.value + 1, fee.currency) }),
    ),
  },
  {
    name: 'a balance in the list of accounts is as it was when it was first listed',
    caughtBy: 'sums > balances > a payee has what was paid once the payment has completed, and no more',
    start: () => {
      const first = new Map<string, Json>()
      return data('accounts.list', (page) => {
        for (const account of page.data) {
          if (!first.has(account.id)) first.set(account.id, account.balance)
          account.balance = first.get(account.id)
        }
      })()
    },
  },
]
